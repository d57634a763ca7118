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
