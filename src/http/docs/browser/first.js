(() => {
  const root = document.documentElement;
  root.classList.add('js');
  // The choice of light or dark in the web UI applies here too.
  try {
    const chosen = localStorage.getItem('relay-color-scheme');
    if (chosen === 'light' || chosen === 'dark') root.style.colorScheme = chosen;
  } catch {}
  // The API reference used to be at /docs, so its old anchors redirect to the endpoints.
  const { pathname, hash } = location;
  if (pathname === '/docs' && /^#(get|post)[A-Z]/.test(hash)) location.replace(`/docs/api${hash}`);
})();
