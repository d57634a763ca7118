// The icons of the page, drawn as strokes in the text colour.

const paths = {
  today: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8ZM12 2.5v2m0 15v2M4.9 4.9l1.4 1.4m11.4 11.4 1.4 1.4M2.5 12h2m15 0h2M4.9 19.1l1.4-1.4M17.7 6.3l1.4-1.4',
  task: 'M12 20.5a8.5 8.5 0 1 1 0-17 8.5 8.5 0 0 1 0 17Zm-3.6-8.3 2.5 2.5 4.8-5',
  decision: 'M6 21V4m0 .5h11.5l-2.2 4 2.2 4H6',
  meeting: 'M4.5 6h15v13.5h-15zM4.5 10h15M8.5 3.5V7m7-3.5V7',
  project: 'M3.5 18.5v-12h6l2 2.5h9v9.5z',
  ads: 'M12.5 4H20v7.5l-8.4 8.4a1.6 1.6 0 0 1-2.2 0l-5.3-5.3a1.6 1.6 0 0 1 0-2.2zM16 8h.01',
  misc: 'M6 3.5h12v17H6zM9 8h6m-6 4h6m-6 4h3.5',
  inbox: 'M4 13.5 6.4 5.9A2 2 0 0 1 8.3 4.5h7.4a2 2 0 0 1 1.9 1.4l2.4 7.6v4a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2zm0 0h4.5l1.2 2.4h4.6l1.2-2.4H20',
  memories: 'M4 8.2 12 4l8 4.2-8 4.2zm0 4 8 4.2 8-4.2M4 16.2l8 4.2 8-4.2',
  links: 'M8.5 8.5 15.5 15.5M6 9a3 3 0 1 1 0-6 3 3 0 0 1 0 6Zm12 12a3 3 0 1 1 0-6 3 3 0 0 1 0 6ZM18 9a3 3 0 1 1 0-6 3 3 0 0 1 0 6ZM9 6h6M18 9v6',
  review: 'M4 5.5h16v10H11l-4.5 4v-4H4zm5 5 2 2 4-4',
  log: 'M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01',
  search: 'M10.5 17a6.5 6.5 0 1 1 0-13 6.5 6.5 0 0 1 0 13Zm4.7-1.8L20 20',
  rest: 'M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5ZM14 4h5l-5 5h5',
  evaluate: 'M12 4v16M12 6H5m7 0h7M5 6l-2.5 6.5a3 3 0 0 0 5 0zm14 0-2.5 6.5a3 3 0 0 0 5 0zM8.5 20h7',
  data: 'M4.5 6.5c0-1.4 3.4-2.5 7.5-2.5s7.5 1.1 7.5 2.5-3.4 2.5-7.5 2.5-7.5-1.1-7.5-2.5Zm0 0v11c0 1.4 3.4 2.5 7.5 2.5s7.5-1.1 7.5-2.5v-11M4.5 12c0 1.4 3.4 2.5 7.5 2.5s7.5-1.1 7.5-2.5',
  people: 'M9 11a3.5 3.5 0 1 1 0-7 3.5 3.5 0 0 1 0 7Zm-6 9c0-3.3 2.7-6 6-6s6 2.7 6 6M15.5 4.2a3.5 3.5 0 0 1 0 6.6M17.5 14.6c2.1.8 3.5 2.9 3.5 5.4',
  options: 'M4 7h9m5 0h2M4 17h2m5 0h9M15.5 9.5a2.5 2.5 0 1 1 0-5 2.5 2.5 0 0 1 0 5ZM8.5 19.5a2.5 2.5 0 1 1 0-5 2.5 2.5 0 0 1 0 5Z',
  mail: 'M4 6h16v12H4zm0 .5 8 6.5 8-6.5',
  chevron: 'm9 6 6 6-6 6',
  arrow: 'M5 12h14m-6-6 6 6-6 6',
  file: 'M13.5 3.5H7a2 2 0 0 0-2 2v13a2 2 0 0 0 2 2h10a2 2 0 0 0 2-2V9zm0 0V9H19',
  sun: 'M12 16.5a4.5 4.5 0 1 1 0-9 4.5 4.5 0 0 1 0 9ZM12 2.5v1.5m0 16v1.5M4.2 4.2l1.1 1.1m13.4 13.4 1.1 1.1M2.5 12H4m16 0h1.5M4.2 19.8l1.1-1.1M18.7 5.3l1.1-1.1',
  moon: 'M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5Z',
  CREATE: 'M12 5v14M5 12h14',
  UPDATE: 'M4.5 12a7.5 7.5 0 0 1 13-5.1L20 9.5M20 4.5v5h-5M19.5 12a7.5 7.5 0 0 1-13 5.1L4 14.5m0 5v-5h5',
  CREATE_AND_LINK: 'm9.5 14.5 5-5M8 11l-2.3 2.3a3.6 3.6 0 0 0 5.1 5.1L13 16m3-3 2.3-2.3a3.6 3.6 0 0 0-5.1-5.1L11 8',
  SKIP: 'M6 12h12',
  DELETE: 'm6 6 12 12M18 6 6 18',
  warning: 'M12 9v4.5m0 3v.01M10.4 4.4 2.9 17.5a1.8 1.8 0 0 0 1.6 2.7h15a1.8 1.8 0 0 0 1.6-2.7L13.6 4.4a1.8 1.8 0 0 0-3.2 0Z',
  check: 'm5 12.5 4.5 4.5L19 7.5',
} as const;

export type IconName = keyof typeof paths;

export const Icon = ({ name, size = 18 }: { name: IconName; size?: number }) => (
  <svg class="icon" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
    <path d={paths[name]} />
  </svg>
);

export const Mark = () => (
  <svg class="mark" width="28" height="28" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
    <rect class="mark-ground" width="32" height="32" rx="7" />
    <path class="mark-top" d="M7 10.5 16 6l9 4.5-9 4.5z" />
    <path class="mark-mid" d="m7 16 9 4.5 9-4.5" />
    <path class="mark-low" d="m7 21.5 9 4.5 9-4.5" />
  </svg>
);
