import { counting } from '../counting.ts';

const count = counting('ru');

/** «1 день», «2 дня», «5 дней». */
export const counted = (many: number, one: string, few: string, other: string): string =>
  count(many, { one, few, other });
