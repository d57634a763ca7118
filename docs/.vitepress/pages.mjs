// The pages of the site and their order.
const page = (link, text) => ({ link, text });

export const SECTIONS = [
  {
    text: 'Start',
    items: [
      page('/start', 'Five minutes'),
      page('/cheat-sheet', 'Cheat sheet'),
      page('/concepts', 'Concepts'),
      page('/playground', 'Playground'),
      page('/comparison', 'Comparison'),
      page('/faq', 'Questions and answers'),
    ],
  },
  {
    text: 'Guides',
    items: [
      page('/mail', 'Mail'),
      page('/recipes/agents', 'Chat agents'),
      page('/recipes/extension', 'A browser extension'),
      page('/recipes/cloudflare', 'Cloudflare Workers'),
      page('/sync', 'Sync'),
      page('/models', 'Models'),
      page('/encoder', 'The encoder'),
      page('/sleep', 'Sleep'),
      page('/privacy-and-security', 'Privacy and security'),
    ],
  },
  {
    text: 'Set up',
    items: [
      page('/recipes/vite', 'Vite and other bundlers'),
      page('/recipes/react', 'React'),
      page('/recipes/svelte-vue', 'Vue and Svelte'),
      page('/recipes/next', 'Next'),
      page('/recipes/web-worker', 'A web worker'),
      page('/recipes/node', 'Node'),
      page('/recipes/storage', 'Your own store'),
      page('/recipes/ollama', 'Ollama'),
    ],
  },
  {
    text: 'Help',
    items: [
      page('/cookbook', 'Cookbook'),
      page('/troubleshooting', 'Troubleshooting'),
      page('/errors', 'Errors'),
      page('/platforms', 'Browsers and bundlers'),
      page('/upgrade', 'Upgrade guide'),
    ],
  },
  {
    text: 'Reference',
    items: [page('/reference/', 'API'), page('/cli', 'Command line'), page('/stored-format', 'Stored format'), page('/extension', 'The Gmail extension')],
  },
  {
    text: 'Development',
    items: [
      page('/architecture', 'Architecture'),
      page('/design/', 'Design notes'),
      page('/evaluation', 'Evaluation'),
      page('/benchmark', 'Mailbox benchmark'),
      page('/benchmarks', 'Benchmarks'),
      page('/endurance', 'Endurance'),
      page('/seeds', 'Source documents'),
      page('/releasing', 'Releasing'),
    ],
  },
];
