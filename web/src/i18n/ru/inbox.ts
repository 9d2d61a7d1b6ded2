import type { inbox as Inbox, notifications as Notifications } from '../en/inbox.ts';
import type { PartialTexts } from '../messages.ts';

export const inbox = {
  label: 'Диалоги',
  views: { waiting: 'Ждут', mine: 'Мои', all: 'Все' },
  longest: 'Дольше всех:',
  filters: 'Фильтр',
  noFilters: 'Убрать фильтр',
  tag: 'Метка',
  onlyTopic: 'Только эта тема в списке',
  anyTopic: 'Показать все темы',
  assignee: 'Ответственный',
  nobody: 'Никто',
  me: 'Я',
  unread: 'Ждёт ответа, не прочитан',
  empty: 'Никто не ждёт',
  emptyHint: 'Диалоги появятся здесь, когда вам напишут.',
  emptyMine: 'У вас нет диалогов',
  emptyMineHint: 'Назначьте себе диалог, и он появится здесь.',
  acts: { take: 'Назначить мне', snooze: 'Отложить на час', done: 'Завершить' },
  writing: (names) => `${names} пишет…`,
  taken: (name) => `Диалог ведёт ${name}.`,
  backendDown: 'Бэкенд этого бота не работает, сообщения ждут. Ответить можно здесь.',
  nextChat: 'Следующий или предыдущий чат или строка',
  answer: 'Написать ответ',
  ofChats: (number) => `ждут: ${number}`,
  ofAlerts: (number) => `открыто: ${number}`,
} satisfies PartialTexts<typeof Inbox>;

export const notifications = {
  title: 'Уведомления',
  hint: 'Браузер сообщает, пока вы смотрите в другое место. Держите вкладку веб-интерфейса открытой.',
  denied: 'Уведомления этого сайта запрещены. Разрешите их в настройках браузера.',
  missing: 'Здесь браузер не показывает уведомления. Откройте веб-интерфейс по HTTPS.',
  yours: 'Ждёт один из ваших диалогов',
  kinds: {
    critical: 'Критические оповещения',
    alerts: 'Остальные оповещения',
    waiting: 'Ждущие диалоги',
    mine: 'Мои диалоги',
  },
  kindHints: {
    critical: 'Например, не работает бэкенд.',
    alerts: 'Предупреждения и сведения.',
    waiting: 'Когда ответа ждёт ещё один человек.',
    mine: 'Когда ответа ждут в вашем диалоге.',
  },
} satisfies PartialTexts<typeof Notifications>;
