// Reads a mailbox into a file, then answers what it is asked: node main.js mail.mbox me@example.org "When is the kickoff?"
import { openAsBlob } from 'node:fs';
import { open } from 'memfold';

const [file, me, ...questions] = process.argv.slice(2);
if (!file || !me) {
  console.error('node main.js <mbox> <your address> [question…]');
  process.exit(2);
}

const memories = await open({ storage: { path: 'memories.sqlite' }, owner: [me] });
const report = await memories.importMail(await openAsBlob(file), {
  onProgress: ({ mails, bytes, totalBytes }) => process.stderr.write(`\r${mails} mails, ${Math.round((100 * bytes) / totalBytes)} %`),
});
console.error();
console.log(`${report.mails} mails: ${report.created} new, ${report.updated} changed, ${report.linked} linked, ${report.replayed} seen before`);

for (const question of questions) {
  const hits = await memories.search(question, { limit: 3 });
  console.log(`\n${question}`);
  for (const { memory } of hits) {
    const versions = await memories.history(memory.id);
    console.log(`- ${memory.content}${versions.length > 1 ? ` (version ${versions.length}; first: ${versions[0].content})` : ''}`);
  }
}
console.log(`\n${(await memories.review.list()).length} entries wait for your word: npx memfold --file memories.sqlite log`);
await memories.close();
