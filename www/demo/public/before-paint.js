// Runs first: sets the content security policy, and theme and language before the first paint.
(function () {
  var root = document.documentElement;
  var saved = {};
  try {
    saved = JSON.parse(localStorage.getItem('memfold-demo') || '{}') || {};
  } catch (_) {
    // Storage may be blocked; the defaults apply.
  }
  // Allows only the owner's endpoint. A policy can only be narrowed, so another endpoint needs a
  // reload.
  var asks = '';
  try {
    if (saved.endpoint && saved.endpoint.preset !== 'builtin') {
      var url = new URL(saved.endpoint.url);
      if (url.protocol === 'https:' || url.protocol === 'http:') asks = url.origin;
    }
  } catch (_) {
    // Not a URL.
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
