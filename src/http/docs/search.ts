import type MiniSearch from 'minisearch';

export interface SearchEntry {
  /** The address of the entry. */
  id: string;
  /** The page or endpoint that contains it. */
  page: string;
  heading: string;
  text: string;
  /** Words that find the entry but are not shown. */
  keywords?: string;
}

export interface SearchHit {
  url: string;
  page: string;
  heading: string;
  snippet: string;
}

// Search is public, and its cost grows with every word.
const longestQuery = 60;
const mostTerms = 6;
const mostHits = 12;
const snippetLength = 140;

/** Finds sections of guides and endpoints. */
export async function createSearch(entries: readonly SearchEntry[]) {
  const { default: Index } = (await import('minisearch')) as { default: typeof MiniSearch };
  const index = new Index<SearchEntry>({
    fields: ['heading', 'page', 'text', 'keywords'],
    searchOptions: {
      boost: { heading: 4, page: 2 },
      // One or two letters would match a large part of all words.
      prefix: (term) => term.length > 2,
      fuzzy: (term) => (term.length > 4 ? 0.2 : 0),
      maxFuzzy: 2,
      combineWith: 'AND',
    },
  });
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  index.addAll([...byId.values()]);

  const tokenize = Index.getDefault('tokenize') as (text: string) => string[];
  function cut(query: string): string {
    const terms = tokenize(query.slice(0, longestQuery).toLowerCase()).filter(Boolean);
    return [...new Set(terms)].slice(0, mostTerms).join(' ');
  }

  return (query: string): SearchHit[] => {
    const wanted = cut(query);
    const every = index.search(wanted);
    const found = every.length > 0 ? every : index.search(wanted, { combineWith: 'OR' });
    return found.slice(0, mostHits).flatMap(({ id, terms }) => {
      const entry = byId.get(id as string);
      if (!entry) return [];
      const { page, heading, text } = entry;
      return [{ url: entry.id, page, heading, snippet: snippetOf(text, terms) }];
    });
  };
}

function snippetOf(text: string, terms: readonly string[]): string {
  const lower = text.toLowerCase();
  const places = terms.map((term) => lower.indexOf(term)).filter((at) => at >= 0);
  const first = Math.max(0, Math.min(...places, text.length) - 40);
  const from = places.length === 0 || first === 0 ? 0 : text.indexOf(' ', first) + 1;
  const part = text.slice(from, from + snippetLength);
  return `${from > 0 ? '…' : ''}${part}${from + snippetLength < text.length ? '…' : ''}`;
}
