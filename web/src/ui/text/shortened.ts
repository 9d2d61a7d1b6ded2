/** Returns the beginning of a text on one line; no character is cut in two. */
export function shortened(text: string, longest: number): string {
  const line = text.replaceAll(/\s+/g, ' ');
  if (line.length <= longest) return line;
  return `${line.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
