// `make test` runs the first and the last of a list of combinations; `make test-all` (MEMFOLD_ALL) runs each of them.

/** Whether each combination of width, language and theme is tested. */
const ALL = Boolean(process.env.MEMFOLD_ALL);

/** The combinations to test. */
export const combinations = (list) => (ALL ? list : [list[0], list[list.length - 1]]);
