/** Returns the word that someone probably mistyped; nothing if no word is close. */
export function meantBy(typed: string, words: readonly string[]): { meant?: string } {
  let least = Math.floor(Math.max(3, Math.min(typed.length, 64)) / 3) + 1;
  let meant: string | undefined;
  for (const word of words) {
    if (Math.abs(word.length - typed.length) >= least) continue;
    const steps = editsBetween(typed, word);
    if (steps < least) [least, meant] = [steps, word];
  }
  return meant === undefined ? {} : { meant };
}

/** Counts the letters to add, drop or replace, and the neighbours to swap. */
function editsBetween(from: string, to: string): number {
  let before: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let at = 1; at <= from.length; at++) {
    const next = [at];
    for (let other = 1; other <= to.length; other++) {
      const replaced = (row[other - 1] as number) + (from[at - 1] === to[other - 1] ? 0 : 1);
      const isSwapped = from[at - 1] === to[other - 2] && from[at - 2] === to[other - 1];
      const swapped = isSwapped ? (before[other - 2] ?? Number.POSITIVE_INFINITY) + 1 : replaced;
      const dropped = (row[other] as number) + 1;
      next.push(Math.min(replaced, swapped, dropped, (next[other - 1] as number) + 1));
    }
    [before, row] = [row, next];
  }
  return row[to.length] as number;
}
