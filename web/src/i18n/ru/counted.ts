import { counting } from '../counting.ts';

const count = counting('ru');

/** «1 день», «2 дня», «5 дней». */
export const counted = (many: number, one: string, few: string, other: string): string =>
  count(many, { one, few, other });

export const updates = (many: number): string =>
  counted(many, 'обновление', 'обновления', 'обновлений');

export const messages = (many: number): string =>
  counted(many, 'сообщение', 'сообщения', 'сообщений');
