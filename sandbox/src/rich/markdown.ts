/*
 * Turns rich Markdown into the HTML of rich messages, so that both are read in one place and tags
 * may be anywhere in it. Text that looks like a tag is left alone; the rest is escaped.
 */

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const attribute = (text: string): string => escape(text).replaceAll('"', '&quot;');

const fencePattern = /^(```+|~~~+)\s*(\S*)\s*$/u;
const headingPattern = /^(#{1,6})\s+(.*)$/u;
const divider = /^(?:-\s*){3,}$|^(?:\*\s*){3,}$|^(?:_\s*){3,}$/u;
const itemPattern = /^(\s*)(?:([-*+])|(\d{1,9})[.)])\s+(.*)$/u;
const tableRule = /^\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?$/u;
const mediaPattern = /^!\[[^\]]*\]\((\S+?)(?:\s+"([^"]*)")?\)$/u;
const definitionPattern = /^\[\^([^\]\s]+)\]:\s*(.*)$/u;
const htmlBlock =
  /^<\/?(?:details|summary|table|thead|tbody|tr|td|th|caption|ul|ol|li|p|h[1-6]|hr|pre|aside|footer|blockquote|figure|figcaption|img|video|audio|tg-(?:collage|slideshow|map|button-row|document|math-block|thinking))\b/iu;

const mediaTags: [RegExp, string][] = [
  [/\.(?:mp4|mov|webm|gif)(?:$|[?#])|^tg:\/\/video/iu, 'video'],
  [/\.(?:mp3|m4a|og[ga])(?:$|[?#])|^tg:\/\/audio/iu, 'audio'],
  [/\.(?:jpe?g|png|webp)(?:$|[?#])|^tg:\/\/photo/iu, 'img'],
];

export function markdownToHtml(source: string): string {
  return blocks(
    source
      .replaceAll('\r\n', '\n')
      .replace(/[\uE000\uE001]/gu, '')
      .split('\n'),
  );
}

function blocks(lines: readonly string[]): string {
  const html: string[] = [];
  let paragraph: string[] = [];
  const flush = (): void => {
    if (paragraph.length > 0) html.push(`<p>${inline(paragraph.join(' '))}</p>`);
    paragraph = [];
  };
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? '';
    const [used, block] = special(lines, at);
    if (used > 0) {
      flush();
      html.push(block);
      at += used;
      continue;
    }
    if (line.trim() === '') flush();
    else paragraph.push(line.trim());
    at += 1;
  }
  flush();
  return html.join('\n');
}

/** Returns the number of lines of a block, 0 if a paragraph continues here, and its HTML. */
function special(lines: readonly string[], at: number): [number, string] {
  const line = lines[at] ?? '';
  const trimmed = line.trim();
  const fence = fencePattern.exec(trimmed);
  if (fence) return fenced(lines, at, fence);
  const heading = headingPattern.exec(trimmed);
  if (heading) {
    const tag = `h${heading[1]?.length}`;
    return [1, `<${tag}>${inline(withoutHashes(heading[2] ?? ''))}</${tag}>`];
  }
  if (divider.test(trimmed)) return [1, '<hr/>'];
  const formula = /^\$\$(.+)\$\$$/u.exec(trimmed)?.[1];
  if (formula) return [1, `<tg-math-block>${escape(formula)}</tg-math-block>`];
  if (trimmed.startsWith('>')) return quoted(lines, at);
  if (itemPattern.test(line)) return listed(lines, at);
  if (trimmed.includes('|') && tableRule.test((lines[at + 1] ?? '').trim()))
    return table(lines, at);
  const media = mediaPattern.exec(trimmed);
  if (media && !/^tg:\/\/(?:emoji|time)/u.test(media[1] ?? '')) return [1, figure(media)];
  const definition = definitionPattern.exec(trimmed);
  if (definition) {
    const [, name = '', text = ''] = definition;
    return [1, `<p><tg-reference name="${attribute(name)}">${inline(text)}</tg-reference></p>`];
  }
  return htmlBlock.test(trimmed) ? [1, inline(trimmed)] : [0, ''];
}

function fenced(lines: readonly string[], at: number, fence: RegExpExecArray): [number, string] {
  const [, mark = '```', language = ''] = fence;
  let end = at + 1;
  while (end < lines.length && lines[end]?.trim() !== mark) end += 1;
  const code = escape(lines.slice(at + 1, end).join('\n'));
  const used = end - at + 1;
  if (language === 'math') return [used, `<tg-math-block>${code}</tg-math-block>`];
  const named = language && ` class="language-${attribute(language)}"`;
  return [used, `<pre><code${named}>${code}</code></pre>`];
}

function quoted(lines: readonly string[], at: number): [number, string] {
  let end = at;
  while (lines[end]?.trim().startsWith('>')) end += 1;
  const inside = lines.slice(at, end).map((line) => line.trim().replace(/^>\s?/u, ''));
  return [end - at, `<blockquote>${blocks(inside)}</blockquote>`];
}

function listed(lines: readonly string[], at: number): [number, string] {
  const [, indent = '', bullet, first] = itemPattern.exec(lines[at] ?? '') ?? [];
  const ordered = bullet === undefined;
  const items: string[][] = [];
  let end = at;
  for (; end < lines.length; end += 1) {
    const line = lines[end] ?? '';
    const match = itemPattern.exec(line);
    const sameLevel = match && (match[1] ?? '').length <= indent.length;
    if (sameLevel && (match[2] === undefined) !== ordered) break;
    if (sameLevel) items.push([match[4] ?? '']);
    else if (/^\s/u.test(line) && line.trim() !== '') {
      items.at(-1)?.push(line.slice(indent.length + 2));
    } else break;
  }
  const tag = ordered ? 'ol' : 'ul';
  const start = ordered && first !== '1' ? ` start="${first}"` : '';
  return [end - at, `<${tag}${start}>${items.map(item).join('')}</${tag}>`];
}

function item(lines: readonly string[]): string {
  const [first = '', ...rest] = lines;
  const task = /^\[([ xX])\]\s+(.*)$/u.exec(first);
  const box = task ? `<input type="checkbox"${task[1] === ' ' ? '' : ' checked'}>` : '';
  return `<li>${box}${blocks([task?.[2] ?? first, ...rest])}</li>`;
}

function table(lines: readonly string[], at: number): [number, string] {
  const cells = (line: string): string[] =>
    line
      .trim()
      .replace(/^\||\|$/gu, '')
      .split('|')
      .map((cell) => cell.trim());
  const aligns = cells(lines[at + 1] ?? '').map((rule) =>
    rule.endsWith(':') ? (rule.startsWith(':') ? 'center' : 'right') : 'left',
  );
  const row = (line: string, tag: string): string =>
    `<tr>${cells(line)
      .map((cell, index) => `<${tag} align="${aligns[index] ?? 'left'}">${inline(cell)}</${tag}>`)
      .join('')}</tr>`;
  let end = at + 2;
  while (lines[end]?.includes('|')) end += 1;
  const body = lines.slice(at + 2, end).map((line) => row(line, 'td'));
  return [end - at, `<table>${row(lines[at] ?? '', 'th')}${body.join('')}</table>`];
}

function figure([, url = '', title]: RegExpExecArray): string {
  const tag = mediaTags.find(([pattern]) => pattern.test(url))?.[1] ?? 'tg-document';
  const shown = `<${tag} src="${attribute(url)}"/>`;
  return title ? `<figure>${shown}<figcaption>${inline(title)}</figcaption></figure>` : shown;
}

/** Removes the hashes that may close a heading. */
function withoutHashes(text: string): string {
  let end = text.length;
  while (text[end - 1] === '#') end -= 1;
  return text.slice(0, end).trimEnd();
}

const marks: [mark: string, tag: string][] = [
  ['**', 'b'],
  ['__', 'b'],
  ['*', 'i'],
  ['_', 'i'],
  ['~~', 's'],
  ['==', 'mark'],
  ['||', 'tg-spoiler'],
];

/**
 * Formatting is a mark before text and the next one after it; marks of underscores must be outside
 * of words.
 */
const pairs = marks.map(([mark, tag]) => {
  const written = mark.replace(/[*|]/gu, String.raw`\$&`);
  const [before, after] = mark.startsWith('_')
    ? [String.raw`(?<![\p{L}\p{N}_])`, String.raw`(?![\p{L}\p{N}_])`]
    : ['', ''];
  const open = new RegExp(String.raw`${before}${written}(?=\S)`, 'gu');
  const close = new RegExp(String.raw`(?<=\S)${written}${after}`, 'gu');
  return { length: mark.length, tag, open, close };
});

function paired(text: string, { length, tag, open, close }: (typeof pairs)[number]): string {
  let html = '';
  let at = 0;
  for (;;) {
    open.lastIndex = at;
    const first = open.exec(text);
    if (!first) break;
    const from = first.index + length;
    close.lastIndex = from + 1;
    const last = close.exec(text);
    // If this mark has no end, no later one has either; searching further would be quadratic.
    if (!last) break;
    html += `${text.slice(at, first.index)}<${tag}>${text.slice(from, last.index)}</${tag}>`;
    at = last.index + length;
  }
  return html + text.slice(at);
}

/** Replaces parts that must not be parsed again with a private character. */
function inline(source: string): string {
  const kept: string[] = [];
  const keep = (html: string): string => `\uE000${kept.push(html) - 1}\uE001`;
  let text = source
    .replace(/\\([\\`*_{}[\]()#+\-.!|~=$<>])/gu, (_all, char: string) => keep(escape(char)))
    .replace(/(`+)(.+?)\1/gsu, (_all, _mark, code: string) => keep(`<code>${escape(code)}</code>`))
    .replace(/<\/?[a-z][^<>]*>/giu, (tag) => keep(tag))
    .replace(/&(?:#\d+|#x[0-9a-f]+|[a-z]+);/giu, (entity) => keep(entity))
    .replace(
      /(?<![\p{L}\p{N}$])\$(?=[^\s$])([^$]*?[^\s$])\$(?![\p{L}\p{N}])/gu,
      (_all, formula: string) => keep(`<tg-math>${escape(formula)}</tg-math>`),
    )
    .replace(/!\[([^[\]]*)\]\(tg:\/\/emoji\?id=(\d+)\)/gu, (_all, alt: string, id: string) =>
      keep(`<tg-emoji emoji-id="${id}">${escape(alt)}</tg-emoji>`),
    )
    .replace(
      /!\[([^[\]]*)\]\(tg:\/\/time\?unix=(\d+)(?:&format=(\w+))?\)/gu,
      (_all, shown: string, unix: string, format = '') =>
        keep(`<tg-time unix="${unix}" format="${format}">${escape(shown)}</tg-time>`),
    )
    .replace(/\[\^([^[\]\s]+)\]/gu, (_all, name: string) =>
      keep(`<a href="#${attribute(name)}">${escape(name)}</a>`),
    );
  text = escape(text).replace(
    /\[([^[\]]+)\]\(([^\s)]{1,4096})\)/gu,
    (_all, words: string, url: string) => `${keep(`<a href="${url}">`)}${words}${keep('</a>')}`,
  );
  for (const pair of pairs) text = paired(text, pair);
  // Replaced parts may contain others.
  while (/\uE000\d+\uE001/u.test(text)) {
    text = text.replace(/\uE000(\d+)\uE001/gu, (_all, index: string) => kept[Number(index)] ?? '');
  }
  return text;
}
