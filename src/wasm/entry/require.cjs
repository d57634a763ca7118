// For `require` in Node versions that cannot require ES modules: an error with advice.
const error = new Error(
  "memfold is an ES module: write `const { open } = await import('memfold')`, or use Node 20.19, 22.12 or later, where require('memfold') works",
);
error.code = 'ERR_REQUIRE_ESM';
throw error;
