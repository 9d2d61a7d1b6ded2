import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type RenderedPage, renderMarkdown } from './markdown.ts';

export interface GuideLink {
  /** The path of its file without the ending, such as `poll` or `adr/README`. */
  name: string;
  title: string;
}

/** The links of docs/README.md, in its order. */
export interface GuideGroup {
  /** The heading above them; '' before the first heading. */
  title: string;
  guides: GuideLink[];
}

export interface Guides {
  groups: GuideGroup[];
  names: string[];
  /** Rendered on first request. */
  page(name: string): RenderedPage | undefined;
  /** The bytes of an image in a guide, by its path in the folder. */
  picture(name: string): Promise<Buffer | undefined>;
}

/** The list of all guides. */
export const firstPage = 'README';
const pictureFolders = ['screenshots', 'charts'];
const decisions = 'adr';

/** The command as the guides write it; their tests run it in a clone. */
const commandInClone = 'node bin/bot-relay.js ';

/** Reads all guides of this folder, docs/*.md, and the decisions below it. */
export function readGuides(folder: string, commandName: string): Guides {
  const pagesIn = (below: string) =>
    readdirSync(path.join(folder, below))
      .filter((file) => file.endsWith('.md'))
      .map((file) => path.posix.join(below, file.slice(0, -'.md'.length)));
  const names = [
    ...pagesIn(''),
    ...(existsSync(path.join(folder, decisions)) ? pagesIn(decisions) : []),
  ];
  const shown = new Set(
    pictureFolders
      .filter((below) => existsSync(path.join(folder, below)))
      .flatMap((below) => readdirSync(path.join(folder, below)).map((file) => `${below}/${file}`)),
  );
  const rendered = new Map<string, RenderedPage>();

  function addressOf(target: string, from: string): string {
    const [, file = '', anchor = ''] = /^([^#]+)\.md(#.*)?$/.exec(target) ?? [];
    const name = path.posix.join(path.posix.dirname(from), file);
    if (names.includes(name)) return guideAddress(name) + anchor;
    // Links to files that the service does not serve, such as source files, become plain text.
    return shown.has(target) ? `/docs/${target}` : '';
  }

  function page(name: string): RenderedPage | undefined {
    if (!names.includes(name)) return undefined;
    let found = rendered.get(name);
    if (!found) {
      const source = readFileSync(path.join(folder, `${name}.md`), 'utf8');
      const typed = source.replaceAll(commandInClone, `${commandName} `);
      found = renderMarkdown(typed, (target) => addressOf(target, name));
      rendered.set(name, found);
    }
    return found;
  }

  return {
    groups: groupsOf(readFileSync(path.join(folder, `${firstPage}.md`), 'utf8'), names),
    names,
    page,
    picture: async (name) => (shown.has(name) ? readFile(path.join(folder, name)) : undefined),
  };
}

export function guideAddress(name: string): string {
  return `/docs/${name}`.replace(/\/README$/, '');
}

function groupsOf(list: string, names: readonly string[]): GuideGroup[] {
  const groups: GuideGroup[] = [{ title: '', guides: [] }];
  for (const [, heading, title = '', name = ''] of list.matchAll(
    /^##+ (.+)$|^[ \t]*(?:[-*]|\d+\.|\|).*?\[([^\]]+)\]\(([\w/-]+)\.md\)/gm,
  )) {
    if (heading !== undefined) groups.push({ title: heading, guides: [] });
    else if (names.includes(name)) groups.at(-1)?.guides.push({ name, title });
  }
  return groups.filter(({ guides }) => guides.length > 0);
}
