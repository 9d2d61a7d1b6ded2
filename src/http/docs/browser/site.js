// Search, copy buttons and the table of contents. Everything can be read without this script.
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const element = (name, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};

// A choice of light or dark that first.js found applies to pictures too.
const scheme = document.documentElement.style.colorScheme;
if (scheme) {
  for (const source of all('picture source')) source.media = scheme === 'dark' ? 'all' : 'not all';
}

// Replaces the address in samples with that of this service; a bare host and port only if the page
// was opened on the same machine.
const isHere =
  location.protocol === 'http:' && /^(127\.|localhost$|\[::1\]$)/.test(location.hostname);
const ownAddress = (text) => {
  const own = text.replaceAll('http://127.0.0.1:8080', location.origin);
  return isHere ? own.replaceAll('127.0.0.1:8080', location.host) : own;
};
const texts = document.createTreeWalker(document.getElementById('content'), NodeFilter.SHOW_TEXT);
while (texts.nextNode()) {
  const { data } = texts.currentNode;
  if (data.includes('127.0.0.1:8080')) texts.currentNode.data = ownAddress(data);
}
for (const link of all('main a[href^="http://127.0.0.1:8080"]')) link.href = ownAddress(link.href);

// Copy buttons
const copy = async (text) => {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  // Browsers offer the clipboard only over https and on localhost.
  const area = element('textarea', { value: text });
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
};
const addCopyButton = (block) => {
  const button = element('button', { className: 'copy', type: 'button', textContent: 'Copy' });
  button.addEventListener('click', async () => {
    await copy(block.querySelector('code').textContent);
    button.textContent = 'Copied';
    setTimeout(() => (button.textContent = 'Copy'), 1_500);
  });
  block.append(button);
};
all('.code').forEach(addCopyButton);

// Highlights the section that the reader is in.
const links = new Map(
  all('.toc a, .endpoints a').map((link) => [decodeURIComponent(link.hash.slice(1)), link]),
);
const mark = (id) => {
  const link = links.get(id);
  if (!link) return;
  for (const one of links.values()) {
    one.classList.remove('here');
    if (one.closest('.endpoints')) one.removeAttribute('aria-current');
  }
  link.classList.add('here');
  const group = link.closest('.endpoints');
  if (!group) return;
  link.setAttribute('aria-current', 'location');
  group.open = true;
  link.scrollIntoView({ block: 'nearest' });
};
const seen = new IntersectionObserver(
  (entries) => {
    const entry = entries.find(({ isIntersecting }) => isIntersecting);
    if (entry) mark(entry.target.id);
  },
  { rootMargin: '-80px 0px -75% 0px' },
);
for (const id of links.keys()) {
  const target = document.getElementById(id);
  if (target) seen.observe(target);
}
const navigation = document.getElementById('navigation');
navigation.addEventListener('click', ({ target }) => {
  if (target.closest('a') && navigation.matches(':popover-open')) navigation.hidePopover();
});
// The API reference lists its endpoints above the guides, so only other pages scroll to the current
// guide.
if (!navigation.querySelector('.endpoints')) {
  navigation.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
}

// Search
const dialog = document.getElementById('search');
const input = dialog.querySelector('input');
const hits = document.getElementById('hits');
const status = dialog.querySelector('p');
const opener = document.getElementById('open-search');
opener.hidden = false;
let chosen = -1;
let asked = 0;
const openSearch = () => {
  dialog.showModal();
  input.select();
};
const pick = (index) => {
  const options = all('li', hits);
  chosen = options.length === 0 ? -1 : (index + options.length) % options.length;
  options.forEach((option, at) => option.setAttribute('aria-selected', String(at === chosen)));
  options[chosen]?.scrollIntoView({ block: 'nearest' });
  if (chosen < 0) input.removeAttribute('aria-activedescendant');
  else input.setAttribute('aria-activedescendant', options[chosen].id);
};
const go = (url) => {
  dialog.close();
  location.assign(url);
};
const hit = ({ url, page, heading, snippet }, index) => {
  const option = element(
    'li',
    { id: `hit-${index}`, role: 'option' },
    element('b', { textContent: heading }),
    ...(page === heading ? [] : [element('small', { textContent: page })]),
    element('div', { textContent: snippet }),
  );
  option.dataset.url = url;
  option.addEventListener('click', () => go(url));
  option.addEventListener('pointermove', () => pick(index));
  return option;
};
const search = async () => {
  const query = input.value.trim();
  const turn = ++asked;
  let found = [];
  let problem = '';
  if (query !== '') {
    try {
      const answer = await fetch(`/docs/search.json?q=${encodeURIComponent(query)}`);
      if (!answer.ok) throw new Error(String(answer.status));
      found = await answer.json();
      problem = found.length === 0 ? `Nothing found for “${query}”.` : '';
    } catch {
      problem = 'Search is not available right now. Try again.';
    }
  }
  // A later query may have been answered first.
  if (turn !== asked) return;
  hits.replaceChildren(...found.map(hit));
  input.setAttribute('aria-expanded', String(found.length > 0));
  status.textContent = problem;
  pick(0);
};
opener.addEventListener('click', openSearch);
input.addEventListener('input', () => void search());
input.addEventListener('keydown', (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step) pick(chosen + step);
  else if (event.key === 'Enter') {
    const url = all('li', hits)[chosen]?.dataset.url;
    if (url) go(url);
  } else if (event.key === 'Escape') dialog.close();
  else return;
  event.preventDefault();
});
dialog.addEventListener('click', ({ target }) => {
  if (target === dialog) dialog.close();
});
document.addEventListener('keydown', (event) => {
  const typing = event.target.closest('input, textarea, select');
  const slash = event.key === '/' && !typing;
  const k = event.key === 'k' && (event.ctrlKey || event.metaKey);
  if (!slash && !k) return;
  event.preventDefault();
  openSearch();
});
