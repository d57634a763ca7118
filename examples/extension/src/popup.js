// The popup opens the same database, and follows what the worker writes.
import { open } from './memfold/index.js';

const memories = await open({ name: 'selected' });
const search = document.querySelector('input');
const show = (all) => document.querySelector('ul').replaceChildren(...all.map((m) => Object.assign(document.createElement('li'), { textContent: m.content })));

let stop = memories.live.list({}, show);
search.oninput = () => {
  stop();
  const question = search.value.trim();
  stop = question === '' ? memories.live.list({}, show) : memories.live.search(question, {}, (hits) => show(hits.map((hit) => hit.memory)));
};
