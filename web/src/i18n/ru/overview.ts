import { capitalized, ended } from '../counting.ts';
import type { overview as Overview, settings as Settings } from '../en/overview.ts';
import type { PartialTexts } from '../messages.ts';
import { counted, messages, updates } from './counted.ts';

const backend = (host: string): string => (host === '' ? 'Бэкенд' : `Бэкенд ${host}`);

const backendAlert = (problem: string, why: string, waiting: string, tried: string): string =>
  [
    ended(why === '' ? problem : `${problem}: ${why}`),
    waiting,
    tried === '' ? '' : `Последняя попытка: ${tried}.`,
  ]
    .filter(Boolean)
    .join(' ');

const unreached = (host: string, why: string): [problem: string, why: string] =>
  host === '' && why !== '' ? [capitalized(why), ''] : [`${backend(host)} не работает`, why];

const updatesWaiting = (count: number): string =>
  count === 0 ? '' : `В очереди ${updates(count)}.`;

export const overview = {
  title: 'Обзор',
  lead: 'Трафик, состояние и оповещения всех ботов.',
  attention: 'Требует внимания',
  began: 'Началось',
  allWell: 'Всё в порядке',
  notKnown: 'Состояние неизвестно',
  notKnownHint: 'Сервис недоступен. Проверьте, что он запущен.',
  allRun: 'Все боты работают.',
  allAnswer: 'Все бэкенды отвечают.',
  nothingToDo: 'Оповещений нет.',
  unchecked: (count) => `Ещё не проверено: ${counted(count, 'бэкенд', 'бэкенда', 'бэкендов')}.`,
  open: 'Открыть',
  enable: 'Включить',
  enableTarget: 'Включить целевого бота',
  started: 'Запускается',
  retryNow: 'Повторить',
  replay: 'Доставить снова',
  dismiss: 'Скрыть',
  showDismissed: (count) => `Показать скрытые (${count})`,
  showAll: (count) => `Показать все (${count})`,
  showFewer: 'Свернуть',
  alerts: {
    backendDown: (host, why, count, tried) =>
      backendAlert(...unreached(host, why), updatesWaiting(count), tried),
    backendRejects: (host, why, count, tried) =>
      backendAlert(`${backend(host)} отклоняет обновления`, why, updatesWaiting(count), tried),
    chatsRejected: (host, why, chats, tried) =>
      backendAlert(
        `${backend(host)} не принимает обновления из ${counted(chats, 'чата', 'чатов', 'чатов')}`,
        why,
        'Повторяем.',
        tried,
      ),
    backlog: (count) => `Бэкенд не успевает. ${updatesWaiting(count)}`,
    deadLetters: (count) => `Не доставлено после всех попыток: ${updates(count)}.`,
    readerFailing: (reader, code, count) =>
      `Сбой читателя ${reader} (${code}). ${updatesWaiting(count)} Повторяем.`,
    pollingStopped: (count) =>
      `С токеном самого бота 10 минут никто не вызывал getUpdates. ${updatesWaiting(count)} Если у всех приложений свои токены, выключите «Разрешить приложениям getUpdates» в настройках бота.`,
    appStoppedPolling: (consumer, count) =>
      `Приложение «${consumer}» перестало вызывать getUpdates. ${updatesWaiting(count)}`,
    unknownSends: (count) =>
      `Возможно, не дошло: ${messages(count)}. Проверьте чаты, затем отправьте ещё раз или скройте.`,
    updatesDropped: (reader, count) =>
      `Удалено по сроку хранения до прочтения читателем «${reader}»: ${updates(count)}.`,
    routeFailing: (target, why, count) =>
      `Маршрут не смог отправить через ${target} ${messages(count)}. ${why}`,
    routeToDisabled: (target) => `Маршрут ведёт к отключённому боту ${target}.`,
    weakSecret: 'Секретный токен легко подобрать. Задайте токен не короче 16 символов.',
    webhookMoved:
      'Сервис опрашивает этого бота, поэтому удалил вебхук другого приложения. Его можно восстановить в настройках.',
    disabled: 'Бот отключён: ничего не получает и не отправляет.',
    disabledRoutes: (count) =>
      `Бот отключён: ничего не получает и не отправляет. Из-за этого не ${count === 1 ? 'работает' : 'работают'} ${counted(count, 'маршрут', 'маршрута', 'маршрутов')}.`,
  },
  traffic: 'Сообщения в секунду',
  incoming: 'входящие',
  outgoing: 'исходящие',
  latency: 'Время доставки',
  latencyHint: 'от приёма до ответа',
  median: 'медиана',
  p95: 'p95',
  backlog: 'Очередь',
  waiting: 'ждут бэкенда',
  errors: 'Ошибки в минуту',
  deliveries: 'доставка',
  sends: 'исходящие',
  bots: 'Состояние ботов',
  allBots: (count) => `Все: ${count}`,
  someOf: (some, all) => `${some} из ${all}`,
  states: {
    stuck: 'Не работают',
    backendDown: 'Бэкенд не работает',
    backendFailing: 'Сбои бэкенда',
    shaky: 'Работают с ошибками',
    starting: 'Запускаются',
    running: 'Работают',
    disabled: 'Отключены',
  },
  backends: 'Исправные бэкенды',
  backendsDown: (count) => `не работают: ${count}`,
  backendsFailing: (count) => `со сбоями: ${count}`,
  backendsSilent: (count) => `давно не отвечали: ${count}`,
  noBots: 'Ботов пока нет',
  noBotsHint: 'Создайте тестового бота и увидите сервис в работе за минуту.',
  begin: 'Начать',
} satisfies PartialTexts<typeof Overview>;

export const settings = {
  title: 'Настройки и состояние',
  lead: 'Состояние сервиса и настройки этого браузера.',
  health: 'Состояние',
  ready: 'Готов',
  notReady: 'Не готов',
  service: 'Сервис',
  version: (version) => `Версия ${version}`,
  started: 'запущен',
  memory: (size) => `${size} памяти`,
  live: 'Обновление в реальном времени',
  liveHint: 'Страница обновляется в реальном времени.',
  database: 'База данных',
  databaseKinds: { sqlite: 'SQLite (встроенная)', postgres: 'PostgreSQL' },
  databaseHint: (kind, size) => `${kind}, ${size}`,
  answersIn: (time) => `отвечает за ${time}`,
  disk: 'Диск',
  diskHint: (free, all) => `свободно ${free} из ${all} на диске с данными`,
  diskFine: 'места достаточно',
  diskLow: 'место заканчивается',
  diskAdvice: 'Освободите место или уменьшите RELAY_RETENTION_AGE или RELAY_RETENTION_BYTES.',
  nodes: 'Узлы',
  nodesHint: 'Узлы делят ботов между собой. Если один остановится, его ботов подхватят другие.',
  oneNode: 'Один узел. С PostgreSQL ботов могут делить несколько узлов.',
  node: 'Узел',
  here: 'этот узел',
  botsRun: 'Боты',
  lastHeartbeat: 'Последний сигнал',
  retention: 'Хранение',
  retentionHint: (age, size) =>
    `Обновления хранятся ${age}, до ${size} на бота; непрочитанные — вдвое дольше.`,
  retentionRan: 'Последняя очистка:',
  retentionLost: (count) =>
    `удалено: ${counted(count, 'непрочитанное', 'непрочитанных', 'непрочитанных')}`,
  nothingLost: 'ничего не потеряно',
  backups: 'Резервные копии',
  backupsHint: (every, directory, count) =>
    `Интервал: ${every}, каталог ${directory}; хранится ${counted(count, 'копия', 'копии', 'копий')}.`,
  backupsOff: 'Чтобы копировать базу по расписанию, задайте RELAY_BACKUP_DIR.',
  backupsOfPostgres: 'Копируйте PostgreSQL с помощью pg_dump или снимков.',
  backupLast: (size) => `Последняя копия (${size}):`,
  backupNext: 'Следующая:',
  backupStates: {
    ok: 'проверена',
    running: 'создаётся',
    none: 'пока нет',
    old: 'просрочена',
    failed: 'ошибка',
  },
  sandbox: 'Песочница',
  sandboxOn:
    'Можно создавать тестовых ботов. Чтобы выключить песочницу, задайте RELAY_SANDBOX=off.',
  sandboxOff: 'Чтобы создавать тестовых ботов, задайте RELAY_SANDBOX=on.',
  webhooks: 'Вебхуки',
  webhooksOn: (url) => `Telegram обращается к сервису по адресу ${url}.`,
  webhooksOff:
    'Чтобы получать обновления через вебхук, задайте в RELAY_PUBLIC_URL адрес, доступный Telegram.',
  look: 'Этот браузер',
  theme: 'Тема',
  themeHint: 'По умолчанию — как в системе.',
  language: 'Язык',
  languageHint: 'Действует в этом браузере.',
  change: 'Настройки сервиса',
  changeHint:
    'Задаются в командной строке, переменных окружения или `bot-relay.yaml`, в таком порядке. Список — `bot-relay start --help`, проверка — `bot-relay doctor`.',
  api: 'Справочник API',
  apiHint: 'Всё, кроме настроек этого браузера, доступно и через API.',
} satisfies PartialTexts<typeof Settings>;
