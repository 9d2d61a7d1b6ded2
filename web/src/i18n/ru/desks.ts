import type { desks as Desks } from '../en/desks.ts';
import type { PartialTexts } from '../messages.ts';
import { counted } from './counted.ts';

export const desks = {
  title: 'Столы поддержки',
  hint: 'У каждого клиента этих ботов есть тема в форуме команды.',
  none: 'Столов поддержки пока нет.',
  add: 'Добавить стол',
  added: 'Стол поддержки добавлен.',
  addedBut: (problem) => `Стол поддержки добавлен. ${problem}`,
  name: 'Название',
  defaultName: 'Поддержка',
  forum: 'Форум команды',
  forumHint: 'Группа с темами, где бот стола — администратор.',
  deskBot: 'Бот стола',
  deskBotHint: 'Пишет в форуме. Клиентам он не нужен.',
  bots: 'Боты для клиентов',
  botsHint: 'Включает управление чатами. Ответом считаются только сообщения людей.',
  works: 'работает',
  unchecked: 'не проверен',
  lastCheck: 'проверен',
  waiting: (count) => `ждут: ${counted(count, 'клиент', 'клиента', 'клиентов')}`,
  check: 'Проверить',
  checked: 'У бота стола есть все права.',
  delete: 'Удалить стол',
  deleteText: 'Темы и сообщения останутся в Telegram. Новые сообщения клиентов туда не попадут.',
  deleted: 'Стол поддержки удалён.',
} satisfies PartialTexts<typeof Desks>;
