// `require` in an old Node exports nothing; see require.cjs.
export {};
