// Runs before anything else: what the page may ask, and a theme and language that never flash as another.
(function () {
  var root = document.documentElement;
  var saved = {};
  try {
    saved = JSON.parse(localStorage.getItem('memfold-demo') || '{}') || {};
  } catch (_) {
    // Storage may be blocked; the defaults stand.
  }
  // The endpoint that the owner named, and nobody until then. A policy can only be narrowed: another endpoint, another load.
  var asks = '';
  try {
    if (saved.endpoint && saved.endpoint.preset !== 'builtin') {
      var url = new URL(saved.endpoint.url);
      if (url.protocol === 'https:' || url.protocol === 'http:') asks = url.origin;
    }
  } catch (_) {
    // Not an address.
  }
  var policy = document.createElement('meta');
  policy.httpEquiv = 'Content-Security-Policy';
  policy.content = "connect-src 'self'" + (asks ? ' ' + asks : '');
  document.head.prepend(policy);
  root.dataset.asks = asks;
  if (saved.theme === 'light' || saved.theme === 'dark') root.dataset.theme = saved.theme;
  var lang = saved.lang || (/^ko\b/i.test(navigator.language) ? 'ko' : 'en');
  root.lang = lang === 'ko' ? 'ko' : 'en';
})();
