/*
 * Cuts the elements of a JSON array out of a text without touching a byte of them: numbers beyond
 * 2^53, escapes and key order survive exactly as the platform wrote them, which a round trip
 * through JSON.parse would not promise.
 *
 * The text is expected to be valid JSON (it is parsed as well); on anything else the result is
 * undefined, never a wrong slice.
 */

const quote = 0x22;
const backslash = 0x5c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const comma = 0x2c;
const colon = 0x3a;

/** The elements of the array under the top-level key `key` of the object `text`. */
export function sliceArray(text: string, key: string): string[] | undefined {
  const start = findArray(text, key);
  return start === undefined ? undefined : sliceElements(text, start);
}

function sliceElements(text: string, arrayStart: number): string[] | undefined {
  const slices: string[] = [];
  let depth = 0;
  let from = arrayStart + 1;
  for (let at = arrayStart + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      at = endOfString(text, at);
    } else if (code === openBrace || code === openBracket) {
      depth++;
    } else if (code === closeBrace || (code === closeBracket && depth > 0)) {
      depth--;
    } else if (depth === 0 && (code === comma || code === closeBracket)) {
      const slice = text.slice(from, at).trim();
      if (slice !== '') slices.push(slice);
      if (code === closeBracket) return slices;
      from = at + 1;
    }
  }
  return undefined;
}

/** Finds where the array of a top-level key begins. */
function findArray(text: string, key: string): number | undefined {
  const wanted = JSON.stringify(key);
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      const end = endOfString(text, at);
      if (depth === 1 && end - at + 1 === wanted.length && text.startsWith(wanted, at)) {
        let next = skipSpace(text, end + 1);
        if (text.charCodeAt(next) === colon) {
          next = skipSpace(text, next + 1);
          if (text.charCodeAt(next) === openBracket) return next;
        }
      }
      at = end;
    } else if (code === openBrace || code === openBracket) {
      depth++;
    } else if (code === closeBrace || code === closeBracket) {
      depth--;
    }
  }
  return undefined;
}

/** The index of the quote that ends the string beginning at `start`. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === backslash) slashes++;
    if (slashes % 2 === 0) return end;
    end = text.indexOf('"', end + 1);
  }
  return text.length;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) <= 0x20) at++;
  return at;
}
