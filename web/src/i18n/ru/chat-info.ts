import type { admins as Admins, chatInfo as ChatInfo } from '../en/chat-info.ts';
import type { PartialTexts } from '../messages.ts';
import { counted } from './counted.ts';

export const chatInfo = {
  show: 'Об этом чате',
  hide: 'Скрыть сведения',
  about: (title) => `Чат: ${title}`,
  id: 'Номер',
  kind: 'Вид',
  kinds: {
    private: 'личный чат',
    group: 'группа',
    supergroup: 'супергруппа',
    channel: 'канал',
  },
  members: 'Участников',
  storedMessages: 'Хранится сообщений',
  botHere: 'Бот здесь',
  migratedTo: 'Стал чатом',
  asked: 'Telegram спрашивали',
  refresh: 'Спросить Telegram',
  refreshed: 'Сведения о чате обновлены',
  neverAsked: 'Описание, фото, участники и права станут известны, когда спросим Telegram.',
  rights: 'Что бот может здесь',
  plainMember:
    'Бот — обычный участник: читает и пишет, но модерировать не может. Чтобы мог, сделайте его администратором в Telegram.',
  notThere: 'Бота в этом чате больше нет.',
  has: 'есть',
  lacks: 'нет',
  pinned: 'Закреплённые',
  unpinAll: 'Открепить все',
  unpinAllTitle: (title) => `Открепить всё в чате «${title}»?`,
  unpinAllHint:
    'Все сообщения, и те, что здесь не хранятся, перестанут быть закреплены у всех. Вернуть можно, только закрепив каждое заново.',
  allUnpinned: 'Больше ничего не закреплено',
  noPinned: 'Насколько здесь известно, ничего не закреплено.',
  forget: 'Забыть этот чат',
  forgetHint: 'Удаляет из службы всё, что о нём хранится.',
  forgetAsk: (title) => `Забыть «${title}»?`,
  forgetMeans: [
    'Сохранённые сообщения, картинки, предупреждения, статистика и всё, что известно о чате, исчезнут из службы, в том числе из итогов бота. Вернуть это нельзя.',
    'В Telegram ничего не произойдёт: бот останется в чате, люди ничего не заметят.',
    'Метки и заметки сохранятся. Журнал обновлений и список отправок хранят своё, пока не выйдет срок. Чат появится снова, пустым, со следующим сообщением.',
  ],
  forgetConfirm: 'Забыть',
  forgotten: (title) => `Чат «${title}» забыт`,
  warnings: 'Предупреждения',
  warnRule: (threshold, then, life) => {
    const first =
      then === ''
        ? 'Предупреждения ни к чему не приводят.'
        : `Предел — ${counted(threshold, 'предупреждение', 'предупреждения', 'предупреждений')}, затем ${then}.`;
    return `${first} ${life === '' ? 'Предупреждения не сгорают.' : `Предупреждение действует ${life}.`}`;
  },
  warnActions: {
    none: 'ничего',
    mute: 'запрет писать',
    kick: 'удаление из чата',
    ban: 'блокировка',
  },
  warnTimed: (action, span) => (span === '' ? `${action} навсегда` : `${action} на ${span}`),
  warnThreshold: 'Сколько предупреждений — предел',
  warnThresholdHint: '0 — за ними ничего не следует.',
  warnAction: 'Что тогда',
  warnActionTime: 'На какой срок',
  warnLife: 'Сколько действует предупреждение',
  warnSaved: 'Правило о предупреждениях сохранено',
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
  threadAlone: 'На него никто не ответил, и само оно не ответ.',
  threadCount: (count) => counted(count, 'сообщение', 'сообщения', 'сообщений'),
} satisfies PartialTexts<typeof ChatInfo>;

export const admins = {
  title: 'Администраторы',
  none: 'Telegram не называет здесь администраторов.',
  owner: 'владелец',
  thisBot: 'этот бот',
  rights: (count) => counted(count, 'право', 'права', 'прав'),
  notOurs: 'Назначен кем-то другим: изменить может только он или владелец.',
  add: 'Назначить',
  who: 'Кого',
  whoHint: 'Люди, которых видели в этом чате. Введите имя или номер.',
  nobody: 'Никто не подходит.',
  appoint: 'Сделать администратором',
  change: 'Изменить права',
  changeTitle: 'Изменить подпись',
  demote: 'Снять права',
  appointTitle: (name) => `Сделать администратором: ${name}`,
  changeOf: (name) => `Права: ${name}`,
  rightsLabel: 'Что можно',
  rightsHint: 'После этого будут ровно эти права.',
  botLacks: 'Бот не может дать то, чего нет у него самого.',
  customTitle: 'Подпись рядом с именем',
  customTitleHint: 'Не длиннее 16 знаков, без эмодзи. Пусто — без подписи.',
  titleOf: (name) => `Подпись: ${name}`,
  appointed: (name) => `${name} теперь администратор`,
  changed: (name) => `Права изменены: ${name}`,
  demoted: (name) => `${name} больше не администратор`,
  titled: (name) => `Подпись изменена: ${name}`,
  cannot: 'Бот не может никого здесь назначить:',
} satisfies PartialTexts<typeof Admins>;
