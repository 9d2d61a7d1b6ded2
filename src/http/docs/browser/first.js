// Runs before the first paint.
(() => {
  const root = document.documentElement;
  root.classList.add('js');
  // The web UI's own choice of light or dark holds here too.
  try {
    const chosen = localStorage.getItem('relay-color-scheme');
    if (chosen === 'light' || chosen === 'dark') root.style.colorScheme = chosen;
  } catch {}
  // The reference was at /docs: its anchors lead to their endpoints.
  const { pathname, hash } = location;
  if (pathname === '/docs' && /^#(get|post)[A-Z]/.test(hash)) location.replace(`/docs/api${hash}`);
})();
