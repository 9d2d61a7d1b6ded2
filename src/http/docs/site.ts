/* Serves the guides, the API reference and the search over both. Loaded on the first request. */
import path from 'node:path';
import type { OpenApiDocument } from '../openapi/openapi.ts';
import { type PageFile, pageFile } from '../web-ui/static-page.ts';
import { firstPage, guideAddress, type Guides, readGuides } from './guides.ts';
import { prose } from './html.ts';
import { layout, type Page } from './layout.ts';
import { referenceEntries, referenceHtml, referenceNavigation } from './reference.ts';
import { createSearch, type SearchEntry, type SearchHit } from './search.ts';

export { docsHeaders } from './layout.ts';

export interface Site {
  /** A page by its path after /docs/; '' is the start page. */
  page(name: string): PageFile | undefined;
  /** The page for an unknown path, with the nearest pages. */
  missing(name: string): Promise<PageFile>;
  picture(name: string): Promise<PageFile | undefined>;
  search(query: string): Promise<SearchHit[]>;
}

export interface SiteDeps {
  /** The docs folder of this repository. */
  folder: string;
  version: string;
  commandName: string;
  document: OpenApiDocument;
}

export function createSite({ folder, version, commandName, document }: SiteDeps): Site {
  const guides = readGuides(folder, commandName);
  const files = new Map<string, PageFile>();
  const pictures = new Map<string, PageFile>();
  let finder: ReturnType<typeof createSearch> | undefined;
  const search = async (query: string) => {
    finder ??= createSearch([...guideEntries(guides), ...referenceEntries(document)]).catch(
      (error: unknown) => {
        finder = undefined;
        throw error;
      },
    );
    return (await finder)(query);
  };
  const file = (page: Page) => pageFile(layout(page, guides.groups, version), '/docs.html');

  function guide(name: string): PageFile | undefined {
    const found = guides.page(name);
    if (!found) return undefined;
    const { title, html, headings } = found;
    return file({ title, address: guideAddress(name), html: html + nextLink(name), headings });
  }

  function nextLink(name: string): string {
    const all = guides.groups.flatMap((group) => group.guides);
    const at = all.findIndex((one) => one.name === name);
    const next = at < 0 ? undefined : all[at + 1];
    return next
      ? `<p class="next"><a href="${guideAddress(next.name)}">Next: ${prose(next.title)}</a></p>`
      : '';
  }

  function reference(): PageFile {
    const intro = guides.page('api')?.html ?? defaultIntro(document);
    return file({
      title: 'API reference',
      address: '/docs/api',
      html: referenceHtml(document, intro),
      navigation: referenceNavigation(document),
      isReference: true,
    });
  }

  return {
    search,
    page(name) {
      const known = files.get(name);
      if (known) return known;
      const made =
        name === 'api' ? reference() : (guide(name) ?? guide(path.posix.join(name, firstPage)));
      if (made) files.set(name, made);
      return made;
    },
    async missing(name) {
      const hits = await search(name.replace(/[^\p{L}\p{N}]+/gu, ' '));
      const links = hits.slice(0, 5).map(({ url, page, heading }) => {
        const from = page === heading ? '' : ` <small>${prose(page)}</small>`;
        return `<li><a href="${url}">${prose(heading)}</a>${from}</li>`;
      });
      const nearest = links.length > 0 ? `<p>Perhaps you want:</p><ul>${links.join('')}</ul>` : '';
      return file({
        title: 'Page not found',
        address: '',
        html: `<h1>Page not found</h1>
<p>There is no page <code>${prose(`/docs/${name}`)}</code>.</p>
${nearest}
<p>See <a href="/docs">all guides</a> or the <a href="/docs/api">API reference</a>.</p>`,
      });
    },
    async picture(name) {
      const known = pictures.get(name);
      if (known) return known;
      const bytes = await guides.picture(name);
      if (!bytes) return undefined;
      const made = pageFile(bytes, `/${name}`);
      pictures.set(name, made);
      return made;
    },
  };
}

function defaultIntro({ info }: OpenApiDocument): string {
  return `<h1>API reference</h1><p>${prose(String(info['description']))}</p>
<p>Send your key as <code>Authorization: Bearer brs_…</code>. The OpenAPI document is at <a href="/openapi.json">/openapi.json</a>.</p>`;
}

function guideEntries(guides: Guides): SearchEntry[] {
  return guides.names.flatMap((name) => {
    const page = guides.page(name);
    // Decisions are for developers of the relay, who find them in their list, so search leaves them
    // out.
    if (!page || name === firstPage || name.includes('/')) return [];
    return page.sections.map(({ id, heading, text }) => ({
      id: guideAddress(name) + (id === '' ? '' : `#${id}`),
      page: page.title,
      heading,
      text,
    }));
  });
}
