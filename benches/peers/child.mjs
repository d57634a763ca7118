// Does tasks in a process of Node's own, one after the other.
import { mem0 } from './mem0.mjs';
import { tasks } from './tasks.js';

const all = { ...tasks, mem0 };
process.on('message', async ({ task, options }) => {
  try {
    process.send({ result: await all[task](options) });
  } catch (error) {
    process.send({ fault: String(error?.message ?? error) });
  }
});
