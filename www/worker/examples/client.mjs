// Adds two memories, asks a question and prints the reasons, over REST. `make worker` prints
// MEMFOLD_URL and MEMFOLD_TOKEN.
const { MEMFOLD_URL: url, MEMFOLD_TOKEN: token } = process.env;

async function call(method, path, body) {
  const response = await fetch(`${url}/v1/${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    body: body && JSON.stringify(body),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${answer.error.code}: ${answer.error.message}`);
  return answer;
}

await call('POST', 'memories', { content: 'The budget of the Hanil project is 50,000 USD', threadId: 'hanil' });
const { entry } = await call('POST', 'memories', { content: 'The budget of the Hanil project was raised from 50,000 USD to 60,000 USD', threadId: 'hanil' });
console.log(entry.decision, '-', entry.reason);
const [hit] = await call('POST', 'search', { text: 'What is the budget of Hanil?' });
console.log(hit.memory.content);
for (const version of await call('GET', `memories/${hit.memory.id}/history`)) console.log(` v${version.version}: ${version.content}`);
