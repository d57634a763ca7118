// `require` of an old Node gives nothing: see require.cjs.
export {};
