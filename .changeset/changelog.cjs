// An entry of the changelog is the summary of its changeset, without commit hashes or author names.
const getReleaseLine = async ({ summary }) => `- ${summary.trim().replaceAll('\n', '\n  ')}`;
module.exports = { getReleaseLine, getDependencyReleaseLine: async () => '' };
