export interface Snippet {
  text: string;
  /** The found words in `text`, in UTF-16 units. */
  highlights: { offset: number; length: number }[];
}

const longest = 240;
const ahead = 60;

/** Cuts out the part of a text around its first highlight. */
export function makeSnippet(text: string, highlights: Snippet['highlights']): Snippet {
  const first = highlights[0]?.offset ?? 0;
  const start = text.length <= longest ? 0 : letterStart(text, Math.max(0, first - ahead));
  const end = letterStart(text, Math.min(text.length, start + longest));
  return {
    text: text.slice(start, end),
    highlights: highlights
      .filter(({ offset, length }) => offset >= start && offset + length <= end)
      .map(({ offset, length }) => ({ offset: offset - start, length })),
  };
}

/** Moves a position out of the middle of a surrogate pair. */
function letterStart(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return at > 0 && unit >= 0xdc00 && unit <= 0xdfff ? at - 1 : at;
}
