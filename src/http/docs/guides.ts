import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type RenderedPage, renderMarkdown } from './markdown.ts';

export interface GuideLink {
  name: string;
  title: string;
}

/** The links of docs/README.md, in its order. */
export interface GuideGroup {
  /** The heading above them; '' for those above all headings. */
  title: string;
  guides: GuideLink[];
}

export interface Guides {
  groups: GuideGroup[];
  names: string[];
  /** `README` is the first page; rendered when first asked for. */
  page(name: string): RenderedPage | undefined;
  /** The bytes of a picture that a guide shows. */
  picture(name: string): Promise<Buffer | undefined>;
}

/** The list of all guides. */
export const firstPage = 'README';
const pictures = 'screenshots';

/** All guides of this folder: docs/*.md. */
export function readGuides(folder: string): Guides {
  const files = readdirSync(folder).filter((file) => file.endsWith('.md'));
  const names = files.map((file) => file.slice(0, -'.md'.length));
  const pictureFolder = path.join(folder, pictures);
  const shown = new Set(existsSync(pictureFolder) ? readdirSync(pictureFolder) : []);
  const rendered = new Map<string, RenderedPage>();

  function addressOf(target: string): string {
    const [, name = '', anchor = ''] = /^(?:\.\/)?([\w-]+)\.md(#.*)?$/.exec(target) ?? [];
    if (names.includes(name)) return guideAddress(name) + anchor;
    const [, picture = ''] = /^screenshots\/([\w.-]+)$/.exec(target) ?? [];
    // What the service does not have, such as source files, is named without a link.
    return shown.has(picture) ? `/docs/${pictures}/${picture}` : '';
  }

  function page(name: string): RenderedPage | undefined {
    if (!names.includes(name)) return undefined;
    let found = rendered.get(name);
    if (!found) {
      found = renderMarkdown(readFileSync(path.join(folder, `${name}.md`), 'utf8'), addressOf);
      rendered.set(name, found);
    }
    return found;
  }

  return {
    groups: groupsOf(readFileSync(path.join(folder, `${firstPage}.md`), 'utf8'), names),
    names,
    page,
    picture: async (name) =>
      shown.has(name) ? readFile(path.join(pictureFolder, name)) : undefined,
  };
}

export function guideAddress(name: string): string {
  return name === firstPage ? '/docs' : `/docs/${name}`;
}

function groupsOf(list: string, names: readonly string[]): GuideGroup[] {
  const groups: GuideGroup[] = [{ title: '', guides: [] }];
  for (const [, heading, title = '', name = ''] of list.matchAll(
    /^##+ (.+)$|^[ \t]*(?:[-*]|\d+\.|\|).*?\[([^\]]+)\]\(([\w-]+)\.md\)/gm,
  )) {
    if (heading !== undefined) groups.push({ title: heading, guides: [] });
    else if (names.includes(name)) groups.at(-1)?.guides.push({ name, title });
  }
  return groups.filter(({ guides }) => guides.length > 0);
}
