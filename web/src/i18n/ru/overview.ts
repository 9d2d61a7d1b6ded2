import type { overview as Overview, settings as Settings } from '../en/overview.ts';
import type { PartialTexts } from '../messages.ts';
import { ended } from '../counting.ts';
import { counted } from './counted.ts';

const backendAlert = (problem: string, why: string, waiting: string, tried: string): string =>
  [
    ended(why === '' ? problem : `${problem}: ${why}`),
    waiting,
    tried === '' ? '' : `Последняя попытка: ${tried}.`,
  ]
    .filter(Boolean)
    .join(' ');

const updatesWaiting = (count: number): string =>
  count === 0 ? '' : `В очереди ${counted(count, 'обновление', 'обновления', 'обновлений')}.`;

export const overview = {
  title: 'Обзор',
  lead: 'Что приходит, что уходит и что требует внимания.',
  attention: 'Требует внимания',
  allWell: 'Всё в порядке',
  notKnown: 'Сейчас неизвестно',
  notKnownHint: 'Страница не может связаться со службой.',
  allRun: 'Все боты работают.',
  allAnswer: 'Все серверы отвечают.',
  nothingToDo: 'Сейчас ничего делать не нужно.',
  unchecked: (count) => `Серверов, которые ещё не проверены: ${count}.`,
  open: 'Посмотреть',
  enable: 'Включить',
  enableTarget: 'Включить того бота',
  started: 'Запускается',
  retryNow: 'Попробовать',
  replay: 'Доставить снова',
  dismiss: 'Учтено: скрыть',
  showDismissed: (count) => `Показать учтённое (${count})`,
  showAll: (count) => `Показать все (${count})`,
  showFewer: 'Показать меньше',
  alerts: {
    backendDown: (host, why, updates, tried) =>
      backendAlert(`Сервер ${host} не ответил`, why, updatesWaiting(updates), tried),
    backendRejects: (host, why, updates, tried) =>
      backendAlert(`Сервер ${host} не принимает обновления`, why, updatesWaiting(updates), tried),
    chatsRejected: (host, why, chats, tried) =>
      backendAlert(
        `Сервер ${host} не принимает обновления (чатов: ${chats})`,
        why,
        'Повторяем попытки.',
        tried,
      ),
    backlog: (count) => `Его сервер не успевает; обновлений ждёт: ${count}.`,
    deadLetters: (count) => `Обновления, от которых пришлось отказаться: ${count}.`,
    readerFailing: (reader, code, count) =>
      `Читатель ${reader} не может работать (${code}); ждут обновлений: ${count}. Пробует снова.`,
    pollerBehind: (count) => `Никто больше не забирает его обновления опросом; ждёт: ${count}.`,
    readerBehind: (reader, count) =>
      `Программа, читающая как «${reader}», не забирает обновления; ждёт: ${count}.`,
    unknownSends: (count) =>
      `Отправки с оборвавшейся связью, о которых неизвестно, дошли ли они: ${count}.`,
    updatesDropped: (reader, count) =>
      `Журнал устарел или переполнился раньше, чем «${reader}» его прочла; пропало обновлений: ${count}.`,
    routeFailing: (target, why, count) =>
      `То, что маршрут отправляет через бота ${target}, не доходит; сообщений: ${count}. ${why}`,
    routeToDisabled: (target) => `Маршрут ведёт к боту ${target}, а он отключён.`,
    weakSecret: 'Секретный токен короче 16 символов, его можно подобрать. Задайте более длинный.',
    webhookMoved: 'Его вебхук у другой программы снят: теперь бота опрашивает эта служба.',
    disabled: 'Отключён: не принимает и не отправляет.',
    disabledRoutes: (count) =>
      `Отключён: не принимает и не отправляет. Маршрутов к нему и от него, которые пока ничего не передают: ${count}.`,
  },
  traffic: 'Сообщений в секунду',
  incoming: 'входящих',
  outgoing: 'исходящих',
  latency: 'Время до ответа сервера',
  median: 'медиана',
  p95: '95 %',
  backlog: 'Очередь',
  waiting: 'ждут серверов',
  errors: 'Ошибок в минуту',
  deliveries: 'доставки',
  sends: 'отправки',
  bots: 'Состояние ботов',
  allBots: (count) => `Все: ${count}`,
  someOf: (some, all) => `${some} из ${all}`,
  states: {
    stuck: 'Не работают',
    backendPaused: 'Сервер на паузе после сбоев',
    backendUnreached: 'Сервер недоступен',
    backendFailing: 'Сервер даёт сбои',
    shaky: 'Работают с ошибками',
    starting: 'Запускаются',
    running: 'Работают',
    disabled: 'Отключены',
  },
  backends: 'Серверы отвечают',
  noBots: 'Ботов пока нет',
  noBotsHint: 'Начните с учебного бота: это займёт минуту.',
  begin: 'Начать',
} satisfies PartialTexts<typeof Overview>;

export const settings = {
  title: 'Настройки и состояние',
  lead: 'Как работает служба и как выглядит эта страница.',
  health: 'Состояние',
  ready: 'Готова',
  notReady: 'Не готова',
  service: 'Служба',
  version: (version) => `Версия ${version}`,
  started: 'запущена',
  memory: (size) => `${size} памяти`,
  live: 'Живая связь',
  liveHint: 'Происходящее видно на странице сразу.',
  database: 'База данных',
  databaseKinds: { sqlite: 'встроенная (SQLite)', postgres: 'PostgreSQL' },
  databaseHint: (kind, size) => `${kind}, ${size}`,
  answersIn: (time) => `отвечает за ${time}`,
  disk: 'Диск',
  diskHint: (free, all) => `${free} свободно из ${all} там, где лежат данные`,
  diskFine: 'достаточно',
  diskLow: 'кончается',
  diskAdvice: 'Освободите место или храните меньше: RELAY_RETENTION_AGE, RELAY_RETENTION_BYTES.',
  nodes: 'Узлы',
  nodesHint: 'Процессы, которые делят работу. Если один уходит, его ботов берут другие.',
  oneNode: 'Всё делает один процесс. С PostgreSQL работу могут делить несколько.',
  node: 'Узел',
  here: 'этот',
  botsRun: 'Ботов',
  lastHeartbeat: 'Последний признак жизни',
  retention: 'Хранение',
  retentionHint: (age, size) =>
    `Обновления хранятся ${age}, не больше ${size} на бота; непрочитанные — вдвое дольше.`,
  retentionRan: 'Последняя проверка:',
  retentionLost: (count) => `пропало непрочитанных: ${count}`,
  nothingLost: 'ничего не пропало',
  sandbox: 'Песочница',
  sandboxOn: 'Можно заводить учебных ботов. RELAY_SANDBOX=off её выключает.',
  sandboxOff: 'Выключена: RELAY_SANDBOX=on позволит заводить учебных ботов.',
  webhooks: 'Вебхуки',
  webhooksOn: (url) => `Telegram обращается к службе по адресу ${url}.`,
  webhooksOff:
    'Боты опрашиваются. Для вебхуков задайте RELAY_PUBLIC_URL — адрес, доступный Telegram.',
  look: 'Этот браузер',
  theme: 'Светлая или тёмная',
  themeHint: 'Как в системе, если не выбрать самому.',
  language: 'Язык',
  languageHint: 'Новый язык добавляется одним файлом.',
  change: 'Как менять настройки',
  changeHint:
    'Они берутся из командной строки, окружения или bot-relay.yaml, в таком порядке. «bot-relay start --help» перечисляет все, «bot-relay doctor» проверяет.',
  api: 'Справка по API',
  apiHint: 'Всё, что делает эта страница, может делать любая программа.',
} satisfies PartialTexts<typeof Settings>;
