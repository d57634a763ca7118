// Notes that fold into each other. The list follows what is written, also in another tab.
import { open } from 'memfold';

const memories = await open({ name: 'notes' });
const form = document.querySelector('form');
const search = document.querySelector('[type=search]');
const status = document.querySelector('[role=status]');
const undo = document.querySelector('#undo');

const item = (memory) => Object.assign(document.createElement('li'), { textContent: memory.content });
const show = (all) => document.querySelector('ul').replaceChildren(...all.map(item));
const fail = (error) => (status.textContent = `${error.code}: ${error.message}`);

let stop;
function watch() {
  stop?.();
  const question = search.value.trim();
  stop = question === '' ? memories.live.list({}, show, fail) : memories.live.search(question, { limit: 10 }, (hits) => show(hits.map((hit) => hit.memory)), fail);
}
search.oninput = watch;
watch();

form.onsubmit = async (event) => {
  event.preventDefault();
  const { receipts } = await memories.add(form.note.value).catch((error) => (fail(error), { receipts: [] }));
  const [last] = receipts.slice(-1);
  if (!last) return;
  form.reset();
  status.textContent = `${last.entry.decision}: ${last.entry.reason}`;
  undo.hidden = last.entry.decision === 'SKIP';
  undo.onclick = async () => {
    await memories.undo(last.entry.id).then(() => (status.textContent = 'taken back'), fail);
    undo.hidden = true;
  };
};
// Before this, a click would have loaded the page anew.
form.querySelector('button').disabled = false;
