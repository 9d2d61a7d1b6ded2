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
  const read = (path) => fetch(path, { credentials: 'same-origin' });
  const session = read('/api/auth/session');
  session.catch(() => {});
  asked.set('/api/auth/session', session);
  if (pathname !== '/') return;
  for (const file of home.split(' ').filter(Boolean)) {
    const link = document.createElement('link');
    link.rel = file.endsWith('.css') ? 'preload' : 'modulepreload';
    if (file.endsWith('.css')) link.as = 'style';
    link.crossOrigin = '';
    link.href = file;
    document.head.append(link);
  }
  // The overview is not for agents.
  const isShown = session.then(
    async (answer) => answer.ok && (await answer.clone().json()).rights.bots !== 'none',
  );
  // The page finds each of them before the session is read, so that none is asked for twice: it would
  // take the answer that it did not wait for as news much later.
  for (const path of ['/api/bots', '/api/attention', '/api/live-metrics']) {
    const answer = isShown.then((shown) => (shown ? read(path) : undefined));
    answer.catch(() => {});
    asked.set(path, answer);
  }
})();
