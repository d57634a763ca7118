// The pages of the site and their order.
const page = (link, text) => ({ link, text });

export const SECTIONS = [
  { text: 'Start', items: [page('/start', 'Five minutes'), page('/concepts', 'Concepts'), page('/playground', 'Playground'), page('/models', 'Models'), page('/encoder', 'The encoder'), page('/privacy-and-security', 'Privacy and security')] },
  {
    text: 'Recipes',
    items: [
      page('/recipes/vite', 'A page with Vite'), page('/recipes/react', 'A live list in React'), page('/recipes/next', 'Next'), page('/recipes/web-worker', 'In a web worker'),
      page('/recipes/extension', 'A browser extension'), page('/recipes/cloudflare', 'A Cloudflare Worker'), page('/recipes/node', 'Node and the command line'),
      page('/recipes/agents', 'Agents by MCP'), page('/recipes/ollama', 'Ollama'),
    ],
  },
  {
    text: 'Reference',
    items: [page('/reference/', 'API'), page('/errors', 'Errors'), page('/stored-format', 'The stored format'), page('/sync', 'Sync'), page('/sleep', 'Sleep'), page('/worker', 'The Worker'), page('/extension', 'The Gmail extension')],
  },
  { text: 'How it is made', items: [page('/architecture', 'Architecture'), page('/design/', 'Design notes'), page('/seeds', 'The seeds'), page('/evaluation', 'Evaluation'), page('/benchmarks', 'Benchmarks'), page('/releasing', 'Releasing')] },
];
