export function escapeHtml(text = ''): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** A description of the API; `code` is its only markup. */
export function prose(text = ''): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}

/** A script adds the copy button. The block can be scrolled with the keyboard. */
export function codeBlock(text: string, language = ''): string {
  return `<div class="code"><pre tabindex="0"><code>${highlighted(text, language)}</code></pre></div>`;
}

const keywords =
  'and|as|async|await|break|case|catch|class|const|continue|def|elif|else|except|export|for|from|func|function|go|if|import|in|is|let|new|nil|None|not|null|or|package|pass|print|raise|return|switch|throw|True|False|true|false|try|type|var|while|with|yield';

const quoted = [`"`, `'`, '`']
  .map((mark) => `${mark}(?:[^${mark}\\\\\\n]|\\\\.)*${mark}`)
  .join('|');
const token = (comment: string, words: string) =>
  new RegExp(`(${comment})|(${quoted})|\\b(${words})\\b`, 'gm');

const scripts = token(String.raw`(?<=^|\s)#.*$`, 'curl|npm|npx|node|python|pip|docker|export');
const languages: Record<string, RegExp> = {
  js: token(String.raw`(?<=^|\s)\/\/.*$`, keywords),
  python: token(String.raw`(?<=^|\s)#.*$`, keywords),
  sh: scripts,
  json: token('(?!)', 'true|false|null|-?\\d[\\d.]*'),
  yaml: token(String.raw`(?<=^|\s)#.*$`, 'true|false|null'),
};
const aliases: Record<string, string> = {
  javascript: 'js',
  ts: 'js',
  typescript: 'js',
  go: 'js',
  py: 'python',
  bash: 'sh',
  shell: 'sh',
  console: 'sh',
  yml: 'yaml',
  caddyfile: 'sh',
  ini: 'sh',
};

/** Comments, strings and keywords; a rough highlighting is enough. */
function highlighted(text: string, language: string): string {
  const pattern = languages[aliases[language] ?? language];
  if (!pattern) return escapeHtml(text);
  let html = '';
  let at = 0;
  for (const match of text.matchAll(pattern)) {
    const [found, comment, quote] = match;
    const kind = comment !== undefined ? 'c' : quote !== undefined ? 's' : 'k';
    html += `${escapeHtml(text.slice(at, match.index))}<i class="${kind}">${escapeHtml(found)}</i>`;
    at = match.index + found.length;
  }
  return html + escapeHtml(text.slice(at));
}
