// Runs before the first paint so that a chosen theme or language never flashes as the other one.
(function () {
  var root = document.documentElement;
  try {
    var saved = JSON.parse(localStorage.getItem('memfold-demo') || '{}');
    if (saved.theme === 'light' || saved.theme === 'dark') root.dataset.theme = saved.theme;
    var lang = saved.lang || (/^ko\b/i.test(navigator.language) ? 'ko' : 'en');
    root.lang = lang === 'ko' ? 'ko' : 'en';
  } catch (_) {
    // Storage may be blocked; the defaults stand.
  }
})();
