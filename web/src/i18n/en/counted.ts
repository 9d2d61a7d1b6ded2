import { counting } from '../counting.ts';

const count = counting('en');

/** "1 update", "1,204 updates". */
export const counted = (many: number, one: string, other = `${one}s`): string =>
  count(many, { one, other });
