import type { inbox as Inbox } from '../en/inbox.ts';
import type { PartialTexts } from '../messages.ts';

export const inbox = {
  label: 'Диалоги',
  views: { waiting: 'Ждут', mine: 'Мои', all: 'Все' },
  longest: 'Дольше всех:',
  filters: 'Фильтр',
  noFilters: 'Убрать фильтр',
  tag: 'Метка',
  assignee: 'Ответственный',
  nobody: 'Никто',
  me: 'Я',
  unread: 'Ждёт ответа, не прочитан',
  empty: 'Никто не ждёт',
  emptyHint: 'Диалоги появятся здесь, когда вам напишут.',
  acts: { take: 'Назначить мне', snooze: 'Отложить на час', done: 'Завершить' },
  writing: (names) => `${names} пишет…`,
  taken: (name) => `Диалог ведёт ${name}.`,
  nextChat: 'Следующий или предыдущий чат',
  answer: 'Написать ответ',
  ofChats: (number) => `ждут: ${number}`,
  ofAlerts: (number) => `открыто: ${number}`,
} satisfies PartialTexts<typeof Inbox>;
