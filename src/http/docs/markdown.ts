import { Marked, type Token, type Tokens } from 'marked';
import { codeBlock, escapeHtml } from './html.ts';

export interface Heading {
  depth: number;
  id: string;
  text: string;
}

/** The text below a heading, for search. The first has the page's title and no id. */
export interface Section {
  id: string;
  heading: string;
  text: string;
}

export interface RenderedPage {
  title: string;
  html: string;
  headings: Heading[];
  sections: Section[];
}

/** Turns a guide into HTML. `linkTo` returns the address of a relative link, or '' for none. */
export function renderMarkdown(source: string, linkTo: (target: string) => string): RenderedPage {
  const headings: Heading[] = [];
  const addressOf = (href: string) => (/^(https?:|mailto:|#|\/)/.test(href) ? href : linkTo(href));
  const ids = new Map<string, number>();
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const text = plainText(tokens);
        const id = idOf(text, ids);
        headings.push({ depth, id, text });
        const inner = this.parser.parseInline(tokens);
        if (depth === 1) return `<h1>${inner}</h1>\n`;
        return `<h${depth} id="${id}">${inner} <a class="anchor" href="#${id}" aria-label="Link to “${escapeHtml(text)}”">#</a></h${depth}>\n`;
      },
      code: ({ text, lang = '' }) => `${codeBlock(text, lang.split(' ', 1)[0])}\n`,
      link({ href, tokens }) {
        const inner = this.parser.parseInline(tokens);
        const address = addressOf(href);
        return address === '' ? inner : `<a href="${escapeHtml(address)}">${inner}</a>`;
      },
      image({ href, text }) {
        const image = `<img src="${escapeHtml(addressOf(href))}" alt="${escapeHtml(text)}" loading="lazy">`;
        const dark = href.includes('-light.') ? addressOf(href.replace('-light.', '-dark.')) : '';
        if (dark === '') return image;
        return `<picture><source media="(prefers-color-scheme: dark)" srcset="${escapeHtml(dark)}">${image}</picture>`;
      },
      table(token) {
        const row = (cells: Tokens.TableCell[]) =>
          `<tr>${cells
            .map((cell) => {
              const name = cell.header ? 'th scope="col"' : 'td';
              return `<${name}>${this.parser.parseInline(cell.tokens)}</${name.slice(0, 2)}>`;
            })
            .join('')}</tr>`;
        return `<div class="table" tabindex="0"><table><thead>${row(token.header)}</thead><tbody>${token.rows.map(row).join('')}</tbody></table></div>\n`;
      },
      html: ({ text }) => escapeHtml(withoutComments(text)),
    },
  });
  const tokens = marked.lexer(source);
  const html = marked.parser(tokens);
  const title = headings.find(({ depth }) => depth === 1)?.text ?? '';
  return { title, html, headings, sections: sectionsOf(tokens, title) };
}

function withoutComments(html: string): string {
  return html.replace(/<!--.*?(-->|$)/gs, '').trim();
}

function sectionsOf(tokens: Token[], title: string): Section[] {
  const ids = new Map<string, number>();
  const sections: Section[] = [{ id: '', heading: title, text: '' }];
  for (const token of tokens) {
    const text = plainText([token]);
    if (token.type !== 'heading') {
      const last = sections.at(-1) as Section;
      last.text = `${last.text} ${text}`.trim();
      continue;
    }
    const id = idOf(text, ids);
    if ((token as Tokens.Heading).depth > 1) sections.push({ id, heading: text, text: '' });
  }
  return sections;
}

/** Makes IDs as GitHub does, so that a link works in both places. */
function idOf(text: string, ids: Map<string, number>): string {
  const id = text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
  const count = ids.get(id) ?? 0;
  ids.set(id, count + 1);
  return count === 0 ? id : `${id}-${count}`;
}

interface Parts {
  type: string;
  text?: string;
  tokens?: Token[];
  items?: Parts[];
  header?: Parts[];
  rows?: Parts[][];
}

function plainText(tokens: readonly Token[] | Parts[]): string {
  return (tokens as Parts[])
    .map((token) => {
      if (token.type === 'html' || token.type === 'space') return '';
      const parts = [...(token.header ?? []), ...(token.rows ?? []).flat(), ...(token.items ?? [])];
      if (parts.length > 0) return parts.map((part) => plainText(part.tokens ?? [])).join(' ');
      return token.tokens ? plainText(token.tokens) : (token.text ?? '');
    })
    .join('')
    .replace(/\s+/g, ' ');
}
