// `make test` checks what most often breaks; `make test-all` (MEMFOLD_ALL) also runs the slow tests of rarer cases, and each combination.
import { test } from 'node:test';

/** Whether everything is tested. */
export const ALL = Boolean(process.env.MEMFOLD_ALL || process.env.MEMFOLD_SOAK);

/** A test that only `make test-all` runs. */
export const thorough = (name, work) => test(name, { skip: ALL ? false : 'make test-all' }, work);

/** The combinations to test: one of a list (the last, unless `one` says which), or all. */
export const combinations = (list, one = list.length - 1) => (ALL ? list : [list[one]]);

/** The entries to test: every `step`-th from `first`, or all. */
export const some = (list, step, first = 0) => (ALL ? list : list.filter((_, n) => n % step === first % step));
