// Runs before the first paint, so that a dark page never flashes white. The key is the page's own.
(() => {
  let chosen = 'auto';
  try {
    chosen = localStorage.getItem('relay-color-scheme') || 'auto';
  } catch {}
  const dark =
    chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light');
})();
