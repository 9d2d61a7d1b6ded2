import type { replies as Replies } from '../en/replies.ts';
import type { PartialTexts } from '../messages.ts';
import { counted } from './counted.ts';

export const replies = {
  title: 'Шаблоны ответов',
  hint: 'Написать или / для шаблона',
  none: 'Шаблонов пока нет.',
  noMatch: 'Подходящих шаблонов нет.',
  manage: 'Изменить шаблоны…',
  add: 'Добавить шаблон',
  saved: 'Шаблон сохранён.',
  deleted: 'Шаблон удалён.',
  used: (count) => `использован ${counted(count, 'раз', 'раза', 'раз')}`,
  name: 'Название',
  nameHint: 'Введите в чате / и это название.',
  text: 'Текст',
  textHint: (names) => `Подставляются сами: ${names}`,
  onlyFor: (bot) => `Только для ${bot}`,
} satisfies PartialTexts<typeof Replies>;
