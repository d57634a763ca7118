// `make test` checks what most often breaks; `make test-all` (MEMFOLD_ALL) also runs the slow tests of rarer cases, and each combination.
import { test } from 'node:test';

/** Whether everything is tested. */
export const ALL = Boolean(process.env.MEMFOLD_ALL || process.env.MEMFOLD_SOAK);

/** A test that only `make test-all` runs. */
export const thorough = (name, work) => test(name, { skip: ALL ? false : 'make test-all' }, work);

/** The combinations to test: the first and the last of a list, or all. */
export const combinations = (list) => (ALL ? list : [list[0], list[list.length - 1]]);
