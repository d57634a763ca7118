// What is handed in and given back has the shape that the types say, and what has not is told alike everywhere.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from '../../pkg/node.js';

test('a_report_of_the_sleep_cycle_names_no_candidates_by_an_empty_list', async () => {
  const memories = await open({ store: 'memory' });
  await memories.add({ content: 'The dentist is on Thursday at 10' });
  const heard = [];
  for (const options of [{}, { dryRun: true }, { maxNodes: 300, onProgress: (report) => heard.push(report.candidates) }]) {
    assert.deepEqual((await memories.sleep.run(options)).candidates, [], JSON.stringify(options));
  }
  assert.deepEqual(heard, [[]]);
});

/** The code and the field that `work` rejects with. */
const failed = (work) => Promise.resolve().then(work).then(() => 'none', (e) => [e.code, e.field]);

test('an_error_names_the_parameter_as_the_call_does', async () => {
  const memories = await open({ store: 'memory' });
  const long = 'x'.repeat(999);
  for (const work of [
    () => memories.search(''), () => memories.search(long), () => memories.search(5), () => memories.data.explainSearch(long), () => memories.graph.addQuery(''),
    () => memories.graph.addQuery(5), () => memories.live.search(5, {}, () => {}),
  ]) assert.deepEqual(await failed(work), ['invalid_field', 'query'], `${work}`);
  assert.deepEqual(await failed(() => memories.data.import(1)), ['invalid_field', 'lines']);
});
