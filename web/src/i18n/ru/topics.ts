import type { topics as English } from '../en/topics.ts';
import type { PartialTexts } from '../messages.ts';

export const topics = {
  list: (title) => `Темы чата ${title}`,
  back: 'Все темы',
  all: 'Все сообщения',
  allHint: 'Сообщения всех тем и вне тем.',
  search: 'Найти тему',
  none: 'Таких тем нет.',
  unnamed: (id) => `Тема ${id}`,
  closed: 'закрыта',
  hidden: 'скрыта',
  gone: 'Бот не может писать сюда: тему удалили или отключили.',
  topic: 'Тема',
  source: 'Исходная тема',
  target: 'Целевая тема',
  any: 'Любая тема',
  noTopic: 'Без темы',
  sentence: (chat, topic) => `${chat}, ${topic}`,
} satisfies PartialTexts<typeof English>;
