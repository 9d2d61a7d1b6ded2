/** A small seeded generator (mulberry32): the same seed gives the same run. */
export interface Random {
  /** 0 ≤ x < 1 */
  next(): number;
  /** min ≤ n ≤ max */
  integer(min: number, max: number): number;
  letters(length: number): string;
  state(): number;
  restore(state: number): void;
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-';

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const integer = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1));
  return {
    next,
    integer,
    letters: (length) =>
      Array.from({ length }, () => alphabet[integer(0, alphabet.length - 1)]).join(''),
    state: () => state,
    restore: (saved) => {
      state = saved >>> 0;
    },
  };
}
