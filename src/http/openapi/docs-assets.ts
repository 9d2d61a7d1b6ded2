export const docsStyle = `
:root {
  color-scheme: light dark;
  --line: light-dark(#dfe3e8, #333a44);
  --soft: light-dark(#f4f6f8, #1d2229);
  --link: light-dark(#0b5cad, #7db8ff);
  --get: light-dark(#0a6b3d, #6fd6a0);
  --post: light-dark(#8a4b00, #f0b565);
}
* { box-sizing: border-box; }
body { margin: 0; font: 15px/1.55 system-ui, sans-serif; display: flex; min-height: 100vh;
  background: light-dark(#fff, #14181d); color: light-dark(#1b1f24, #dde3ea); }
nav { width: 21rem; flex: none; height: 100vh; position: sticky; top: 0; overflow: auto;
  padding: 1rem; border-right: 1px solid var(--line); background: var(--soft); }
main { flex: 1; min-width: 0; max-width: 62rem; padding: 1rem 2rem 6rem; }
h1 { font-size: 1.2rem; } h2 { font-size: 1.05rem; margin: 1.4rem 0 .4rem; }
main h2 { font-size: 1.4rem; margin-top: 2.5rem; } h3 { font-size: 1.1rem; }
h4 { margin: 1rem 0 .3rem; } small { font-weight: normal; opacity: .75; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li a { display: block; padding: .18rem .3rem; border-radius: 4px; text-decoration: none;
  color: inherit; overflow-wrap: anywhere; }
nav li a:hover, nav li a:focus-visible { background: var(--line); }
label { display: block; font-size: .85rem; }
input { width: 100%; padding: .45rem .6rem; font: inherit; border: 1px solid var(--line); border-radius: 6px; }
#count { min-height: 1.5em; margin: .2rem 0; font-size: .85rem; }
article { border-top: 1px solid var(--line); padding: .6rem 0 1.4rem; scroll-margin-top: 1rem; }
.method { display: inline-block; min-width: 2.9rem; font: 600 .75rem ui-monospace, monospace; }
.get { color: var(--get); } .post { color: var(--post); }
a { color: var(--link); }
code { font: .9em ui-monospace, monospace; background: var(--soft); padding: .05em .3em; border-radius: 4px; }
pre { background: var(--soft); border: 1px solid var(--line); border-radius: 6px; padding: .7rem; white-space: pre-wrap; overflow-wrap: anywhere; }
pre code { background: none; padding: 0; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid var(--line); }
details { margin-top: .6rem; } summary { cursor: pointer; }
[hidden] { display: none; }
@media (max-width: 50rem) {
  body { display: block; }
  nav { width: auto; height: auto; max-height: 45vh; border-right: 0; border-bottom: 1px solid var(--line); }
  main { padding: 1rem; }
  th, td { overflow-wrap: anywhere; }
}
`;

// Plain and small: it only hides what does not match.
export const docsScript = `
const search = document.getElementById('search');
const count = document.getElementById('count');
const articles = [...document.querySelectorAll('article')];
const texts = new Map(articles.map((article) => [article, article.textContent.toLowerCase()]));
function filter() {
  const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
  let shown = 0;
  for (const article of articles) {
    const text = texts.get(article);
    article.hidden = !words.every((word) => text.includes(word));
    if (!article.hidden) shown += 1;
    const link = document.querySelector('nav li[data-for="' + article.id + '"]');
    if (link) link.hidden = article.hidden;
  }
  for (const group of document.querySelectorAll('.group')) {
    group.hidden = !group.querySelector('article:not([hidden]), li:not([hidden])');
  }
  count.textContent = words.length > 0 ? shown + ' of ' + articles.length : '';
}
search.addEventListener('input', filter);
document.addEventListener('keydown', (event) => {
  if (event.key === '/' && document.activeElement !== search) {
    event.preventDefault();
    search.focus();
  }
});
`;
