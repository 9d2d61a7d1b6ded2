import type { admins as Admins, chatInfo as ChatInfo } from '../en/chat-info.ts';
import type { PartialTexts } from '../messages.ts';
import { counted, messages } from './counted.ts';

export const chatInfo = {
  show: 'О чате',
  hide: 'Скрыть сведения',
  about: (title) => `Чат: ${title}`,
  id: 'ID',
  kind: 'Тип',
  kinds: {
    private: 'личный чат',
    group: 'группа',
    supergroup: 'супергруппа',
    channel: 'канал',
  },
  members: 'Участники',
  storedMessages: 'Сохранено сообщений',
  botHere: 'Статус бота',
  migratedTo: 'Преобразован в',
  asked: 'Обновлено',
  refresh: 'Обновить из Telegram',
  refreshed: 'Данные чата обновлены',
  neverAsked: 'Обновите данные из Telegram, чтобы увидеть описание, фото, участников и права.',
  rights: 'Права бота',
  plainMember:
    'Бот — участник без прав администратора. Чтобы модерировать, сделайте его администратором в Telegram.',
  notThere: 'Бота в этом чате больше нет.',
  has: 'есть',
  lacks: 'нет',
  pinned: 'Закреплённые сообщения',
  unpinAll: 'Открепить все',
  unpinAllTitle: (title) => `Открепить все сообщения в чате «${title}»?`,
  unpinAllHint: 'В том числе сообщения, которые здесь не сохранены. Действует для всех участников.',
  allUnpinned: 'Все сообщения откреплены',
  noPinned: 'Закреплённых сообщений не найдено.',
  forget: 'Удалить данные чата',
  forgetHint: 'Удаляет всё, что сохранено об этом чате.',
  forgetAsk: (title) => `Удалить данные чата «${title}»?`,
  forgetMeans: [
    'Будут удалены сохранённые сообщения, медиа, предупреждения и статистика этого чата. Отменить это нельзя.',
    'В Telegram ничего не изменится: бот останется в чате.',
    'Метки, заметки и отписки от рассылок сохранятся. Записи журнала обновлений и исходящих останутся до конца срока хранения. Чат снова появится, пустым, со следующим сообщением.',
  ],
  forgetConfirm: 'Удалить данные',
  forgotten: (title) => `Данные чата «${title}» удалены`,
  warnings: 'Предупреждения',
  warnRule: (threshold, then, life) => {
    const first =
      then === ''
        ? 'Предупреждения ни на что не влияют.'
        : `После ${counted(threshold, 'предупреждения', 'предупреждений', 'предупреждений')}: ${then}.`;
    return `${first} ${life === '' ? 'Предупреждения бессрочные.' : `Предупреждение действует ${life}.`}`;
  },
  warnActions: {
    none: 'ничего',
    mute: 'запрет писать',
    kick: 'удаление из чата',
    ban: 'блокировка',
  },
  warnTimed: (action, span) => (span === '' ? `${action} навсегда` : `${action} на ${span}`),
  warnThreshold: 'Лимит предупреждений',
  warnThresholdHint: '0 — без лимита.',
  warnAction: 'Действие при лимите',
  warnActionTime: 'Срок',
  warnLife: 'Срок предупреждения',
  warnSaved: 'Правило предупреждений сохранено',
  change: 'Изменить',
  span: (seconds) => {
    if (seconds % 86_400 === 0) return counted(seconds / 86_400, 'день', 'дня', 'дней');
    if (seconds % 3_600 === 0) return counted(seconds / 3_600, 'час', 'часа', 'часов');
    if (seconds % 60 === 0) return counted(seconds / 60, 'минуту', 'минуты', 'минут');
    return counted(seconds, 'секунду', 'секунды', 'секунд');
  },
  forever: 'навсегда',
  never: 'никогда',
  thread: 'Цепочка ответов',
  showThread: 'Показать цепочку',
  hideThread: 'Закрыть цепочку',
  threadAlone: 'Ответов нет.',
  threadCount: messages,
} satisfies PartialTexts<typeof ChatInfo>;

export const admins = {
  title: 'Администраторы',
  none: 'Администраторов нет.',
  owner: 'владелец',
  thisBot: 'этот бот',
  rights: (count) => counted(count, 'право', 'права', 'прав'),
  notOurs: 'Назначен другим администратором. Изменить права может только он или владелец.',
  add: 'Добавить администратора',
  who: 'Участник',
  whoHint: 'Кто-то из этого чата. Введите имя или ID.',
  nobody: 'Никого не найдено.',
  appoint: 'Сделать администратором',
  change: 'Изменить права',
  changeTitle: 'Изменить должность',
  demote: 'Снять права',
  appointTitle: (name) => `Сделать администратором: ${name}`,
  changeOf: (name) => `Права: ${name}`,
  rightsLabel: 'Права',
  rightsHint: 'Заменят текущие права.',
  botLacks: 'Бот может выдать только те права, которые есть у него самого.',
  customTitle: 'Должность',
  customTitleHint: 'До 16 символов, без эмодзи. Оставьте пустым, если не нужна.',
  titleOf: (name) => `Должность: ${name}`,
  appointed: (name) => `Назначен администратор: ${name}`,
  changed: (name) => `Права изменены: ${name}`,
  demoted: (name) => `Права администратора сняты: ${name}`,
  titled: (name) => `Должность изменена: ${name}`,
  cannot: 'Бот не может добавлять администраторов в этом чате:',
} satisfies PartialTexts<typeof Admins>;
