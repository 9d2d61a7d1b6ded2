// Runs before the first paint and before the code of the page is there.

// A dark page never flashes white. The key is the page's own.
(() => {
  let chosen = 'auto';
  try {
    chosen = localStorage.getItem('relay-color-scheme') || 'auto';
  } catch {}
  const dark =
    chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light');
})();

// Under LANG=C, Chromium reports the language "en-US@posix", which Intl refuses. Libraries pass it on unchecked.
(() => {
  try {
    Intl.getCanonicalLocales(navigator.language);
  } catch {
    const { locale } = new Intl.NumberFormat().resolvedOptions();
    Object.defineProperty(navigator, 'language', { value: locale });
  }
})();

// What the page will ask for first is asked for now; api/client.ts takes the answers.
(() => {
  const home = document.currentScript?.dataset.home ?? '';
  const { pathname } = location;
  if (pathname === '/sign-in' || pathname === '/setup') return;
  const asked = new Map();
  globalThis.relayAsked = asked;
  function ask(path) {
    const answer = fetch(path, { credentials: 'same-origin' });
    asked.set(path, answer);
    return answer;
  }
  const session = ask('/api/auth/session');
  session.catch(() => {});
  if (pathname !== '/') return;
  for (const file of home.split(' ').filter(Boolean)) {
    const link = document.createElement('link');
    link.rel = file.endsWith('.css') ? 'preload' : 'modulepreload';
    if (file.endsWith('.css')) link.as = 'style';
    link.crossOrigin = '';
    link.href = file;
    document.head.append(link);
  }
  session.then(
    async (answer) => {
      if (!answer.ok) return;
      const { rights } = await answer.clone().json();
      // The overview is not for agents.
      if (rights.bots === 'none') return;
      for (const path of ['/api/bots', '/api/attention', '/api/live-metrics']) {
        ask(path).catch(() => {});
      }
    },
    () => {},
  );
})();
