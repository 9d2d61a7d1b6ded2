/*
 * Splits text of any language into words, folded so that case and accents do not matter. A run of
 * letters, digits and marks is a word; scripts that put no spaces between words (Han, Kana, Thai
 * and their like) give one word per character, so that a phrase of them is found anywhere in a
 * text.
 */

/** Scripts that put no spaces between words, for a character class. */
export const spaceless =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}';
const wordPattern = new RegExp(
  `[${spaceless}]\\p{M}*|(?:(?![${spaceless}])[\\p{L}\\p{N}\\p{M}_])+(?:['’](?:(?![${spaceless}])[\\p{L}\\p{N}\\p{M}_])+)*`,
  'gu',
);
// Marks are accents in these scripts; in others (Devanagari, say) they are vowels and are kept.
const accents =
  /(?<=[\p{Script=Latin}\p{Script=Greek}\p{Script=Arabic}\p{Script=Hebrew}\p{M}])\p{M}+/gu;
const plainText = /^[\p{ASCII}]*$/u;

export function fold(text: string): string {
  const lower = text.toLowerCase();
  if (plainText.test(lower)) return lower;
  return lower
    .normalize('NFKD')
    .replace(accents, '')
    .normalize('NFC')
    .replaceAll('ё', 'е')
    .replaceAll('ß', 'ss')
    .replaceAll('ς', 'σ')
    .replaceAll('’', "'");
}

export function splitWords(text: string): string[] {
  return fold(text).match(wordPattern) ?? [];
}

/** Splits the keywords of a condition at commas or lines; each is a word or a phrase. */
export function keywordsOf(value: string): string[][] {
  return value
    .split(/[,;\n，、；]/u)
    .map(splitWords)
    .filter((phrase) => phrase.length > 0);
}
