import type { AlertParams } from '../../../../src/core/alerts/alerts.ts';
import type { alerts as Alerts } from '../en/alerts.ts';
import type { PartialTexts } from '../messages.ts';
import type { ReasonTexts } from '../reasons.ts';
import { counted, messages, updates } from './counted.ts';

const because = ({ why = '' }: AlertParams) => (why === '' ? '.' : `: ${why.replace(/\.$/, '')}.`);
const waiting = ({ count = 0 }: AlertParams) =>
  count === 0 ? '' : ` В очереди ${updates(count)}.`;
const backend = ({ host = '', app }: AlertParams) =>
  `Бэкенд${host === '' ? '' : ` ${host}`}${app === undefined ? '' : ` приложения ${app}`}`;
const inChat = ({ chat_id }: AlertParams) => (chat_id === undefined ? '' : ` в чате ${chat_id}`);
const patternOf = ({ app, route_id }: AlertParams) =>
  app === undefined ? `Шаблон маршрута ${route_id}` : `Шаблон приложения ${app}`;
const effectOf = ({ app }: AlertParams) =>
  app === undefined
    ? 'маршрут для них не срабатывает'
    : 'приложение получает их без фильтра и не забирает себе';
const gigabytes = (bytes = 0) => `${(bytes / 1e9).toFixed(1).replace('.', ',')} ГБ`;
const minutes = (count = 0) => counted(count, 'минута', 'минуты', 'минут');
const mostUsedBy = ({ app }: AlertParams) =>
  app === undefined ? '' : ` Больше всех туда писало приложение ${app}.`;
const days = (count = 0) => counted(count, 'день', 'дня', 'дней');

const sentences = {
  bot_refused: (params) => `Не работает${because(params)}`,
  bot_conflict: (params) => `Обновления получает другой клиент${because(params)}`,
  bot_trouble: (params) => `Не получает обновления${because(params)}`,
  backend_down: (params) =>
    `${backend(params)} ${params.rejects ? 'отклоняет обновления' : 'не работает'}${because(params)}${waiting(params)}`,
  chats_in_retry: (params) =>
    `${backend(params)} не принимает обновления из ${counted(params.count ?? 0, 'чата', 'чатов', 'чатов')}${because(params)} Повторяем.`,
  backlog: (params) => `${backend(params)} не успевает.${waiting(params)}`,
  dead_letters: ({ app, count = 0 }) =>
    `Не доставлено после всех попыток${app === undefined ? '' : ` (приложение ${app})`}: ${updates(count)}.`,
  reader_failing: (params) =>
    `Сбой читателя ${params.reader}${because(params)}${waiting(params)} Повторяем.`,
  polling_stopped: (params) =>
    params.app === undefined
      ? `С токеном самого бота 10 минут никто не вызывал getUpdates.${waiting(params)} Если у всех приложений свои токены, выключите «Разрешить приложениям getUpdates» в настройках бота.`
      : `Приложение ${params.app} 10 минут не вызывало getUpdates.${waiting(params)}`,
  unknown_sends: ({ count = 0 }) =>
    `Возможно, не дошло: ${messages(count)}. Проверьте чаты, затем отправьте ещё раз.`,
  updates_dropped: ({ count = 0, reader }) =>
    `Удалено по сроку хранения до прочтения читателем ${reader}: ${updates(count)}.`,
  desk_unanswered: ({ count = 0, minutes = 0, people = '' }) =>
    `Без ответа больше ${minutes} мин: ${people}. Всего клиентов: ${count}.`,
  desk_waiting: (params) =>
    `Сообщения клиентов (${params.count ?? 0}) ждут стола поддержки${because(params)}`,
  route_failing: (params) =>
    `Маршрут ${params.route_id} не смог отправить ${messages(params.count ?? 0)}${because(params)}`,
  route_topic_gone: (params) =>
    `Темы ${params.message_thread_id} чата ${params.chat_id} из маршрута ${params.route_id} больше нет: её удалили или выключили темы.`,
  route_to_disabled: ({ route_id }) => `Маршрут ${route_id} ведёт к отключённому боту.`,
  weak_secret: () => 'Секретный токен легко подобрать. Задайте токен не короче 16 символов.',
  webhook_moved: () =>
    'Сервис опрашивает этого бота, поэтому удалил вебхук другого приложения. Его можно восстановить в настройках бота.',
  bot_disabled: ({ count = 0 }) =>
    `Бот отключён: ничего не получает и не отправляет.${count === 0 ? '' : ` Из-за этого не ${count === 1 ? 'работает' : 'работают'} ${counted(count, 'маршрут', 'маршрута', 'маршрутов')}.`}`,
  app_not_seen: ({ app, minutes = 0 }) =>
    `Приложение ${app} не обращалось ${counted(minutes, 'минуту', 'минуты', 'минут')}.`,
  app_rate_limited: (params) =>
    `Telegram ограничивает приложение ${params.app}${inChat(params)}: слишком много запросов. Лимит общий для всех приложений бота.`,
  pattern_undecided: (params) =>
    `${patternOf(params)} слишком долго проверяет некоторые сообщения: ${effectOf(params)}. Упростите его.`,
  reader_lag: ({ reader, count = 0 }) => `Читатель ${reader} отстаёт на ${updates(count)}.`,
  failed_sends: ({ count = 0 }) => `Неудачных отправок за час: ${count}.`,
  broadcast_paused: (params) => `Приостановлено рассылок: ${params.count}${because(params)}`,
  question_call_failed: ({ count = 0 }) => `Не доставлено ответов на вопросы: ${count}.`,
  scheduled_held: ({ count = 0 }) => `Не отправлено запланированных сообщений: ${count}.`,
  chat_flood_wait: (params) =>
    `Telegram не принимает сообщения в чат ${params.chat_id}: ${minutes(params.minutes)}.${mostUsedBy(params)}`,
  certificate_expiring: ({ host, days: left = 0 }) =>
    left < 0 ? `Сертификат ${host} истёк.` : `Сертификат ${host} истекает через ${days(left)}.`,
  disk_low: ({ free_bytes, total_bytes }) =>
    `Диск с данными почти заполнен: свободно ${gigabytes(free_bytes)} из ${gigabytes(total_bytes)}.`,
  database_unreachable: (params) => `База данных не отвечает${because(params)}`,
  node_lost: ({ node }) => `Узел ${node} перестал подавать сигналы.`,
  model_budget: () => 'Месячный лимит языковой модели исчерпан. Решает встроенное ранжирование.',
  backup_old: (params) =>
    params.days === undefined
      ? `Резервной копии ещё нет${because(params)}`
      : `Последней резервной копии ${days(params.days)}${because(params)}`,
  channel_failing: (params) => `Сбой канала оповещений ${params.channel_id}${because(params)}`,
} satisfies PartialTexts<typeof Alerts>['sentences'];

/** Sentences of resolved alerts. */
const pastSentences = {
  bot_refused: () => 'Бот не работал.',
  bot_conflict: () => 'Обновления получал другой клиент.',
  bot_trouble: () => 'Бот не получал обновления.',
  backend_down: (params) => `${backend(params)} не работал.`,
  chats_in_retry: (params) => `${backend(params)} не принимал обновления.`,
  backlog: (params) => `${backend(params)} не успевал.`,
  dead_letters: sentences.dead_letters,
  reader_failing: ({ reader }) => `Был сбой читателя ${reader}.`,
  polling_stopped: ({ app }) =>
    app === undefined
      ? '10 минут никто не вызывал getUpdates.'
      : `Приложение ${app} 10 минут не вызывало getUpdates.`,
  unknown_sends: sentences.unknown_sends,
  updates_dropped: sentences.updates_dropped,
  desk_unanswered: ({ count = 0, minutes = 0 }) =>
    `Клиентов без ответа больше ${minutes} мин: ${count}.`,
  desk_waiting: ({ count = 0 }) => `Сообщения клиентов (${count}) ждали стола поддержки.`,
  route_failing: ({ route_id }) => `Маршрут ${route_id} не мог отправлять.`,
  route_topic_gone: (params) =>
    `Темы ${params.message_thread_id} чата ${params.chat_id} из маршрута ${params.route_id} не было.`,
  route_to_disabled: ({ route_id }) => `Маршрут ${route_id} вёл к отключённому боту.`,
  weak_secret: () => 'Секретный токен было легко подобрать.',
  webhook_moved: sentences.webhook_moved,
  bot_disabled: () => 'Бот был отключён.',
  app_not_seen: sentences.app_not_seen,
  app_rate_limited: (params) => `Telegram ограничивал приложение ${params.app}${inChat(params)}.`,
  pattern_undecided: (params) => `${patternOf(params)} слишком долго проверял некоторые сообщения.`,
  reader_lag: ({ reader }) => `Читатель ${reader} отставал.`,
  failed_sends: sentences.failed_sends,
  broadcast_paused: ({ count = 0 }) => `Были приостановлены рассылки: ${count}.`,
  question_call_failed: sentences.question_call_failed,
  scheduled_held: sentences.scheduled_held,
  chat_flood_wait: (params) =>
    `Telegram не принимал сообщения в чат ${params.chat_id}.${mostUsedBy(params)}`,
  certificate_expiring: ({ host, days: left = 0 }) =>
    left < 0 ? `Сертификат ${host} истёк.` : `Сертификат ${host} истекал.`,
  disk_low: () => 'Диск с данными был почти заполнен.',
  database_unreachable: () => 'База данных не отвечала.',
  node_lost: ({ node }) => `Узел ${node} не подавал сигналы.`,
  model_budget: () => 'Месячный лимит языковой модели был исчерпан.',
  backup_old: ({ days: age }) =>
    age === undefined ? 'Резервной копии не было.' : 'Резервная копия была слишком старой.',
  channel_failing: ({ channel_id }) => `Был сбой канала оповещений ${channel_id}.`,
} satisfies PartialTexts<typeof Alerts>['pastSentences'];

export const alerts = {
  title: 'Оповещения',
  lead: 'Что требовало внимания и кому об этом сообщили.',
  channels: 'Каналы',
  channelsHint:
    'Чаты и вебхуки, куда приходят оповещения. Если один недоступен, используется следующий.',
  add: 'Добавить канал',
  noChannels:
    'Каналов пока нет. Отправляйте оповещения в чат Telegram или на вебхук, чтобы не следить за страницей.',
  types: { telegram: 'Чат Telegram', webhook: 'Вебхук' },
  typeHints: {
    telegram: 'Один из ваших ботов пишет сообщение, обновляет его и добавляет кнопки.',
    webhook: 'Сервис отправляет на URL подписанные события (Standard Webhooks).',
  },
  by: (bot) => `через ${bot}`,
  topic: (id) => `тема ${id}`,
  chatOf: (id) => `Чат ${id}`,
  after: (time) => `через ${time}`,
  atOnce: 'сразу',
  quiet: (start, end, zone) => `тихие часы ${start}–${end} (${zone})`,
  someKinds: (count) => counted(count, 'вид', 'вида', 'видов'),
  allKinds: 'все виды',
  someBots: (count) => counted(count, 'бот', 'бота', 'ботов'),
  allBots: 'все боты',
  people: (count) => `кнопки для ${counted(count, 'человека', 'человек', 'человек')}`,
  noPeople: 'без кнопок',
  states: {
    ok: 'Работает',
    unused: 'Ещё не проверен',
    failing: 'Сбой',
    botDisabled: 'Бот отключён',
    botStopped: 'Бот не работает',
    disabled: 'Отключён',
  },
  lastSent: 'последняя отправка',
  failedAt: 'последний сбой',
  test: 'Отправить тест',
  tested: (name) => `Тест доставлен: ${name}`,
  notTested: (name) => `Тест не доставлен: ${name}`,
  editTitle: (name) => `Изменить: ${name}`,
  type: 'Куда отправлять',
  bot: 'Бот',
  botHint: 'Должен состоять в чате; в личном чате его должен запустить человек.',
  chat: 'Чат',
  chatHint: 'Выберите известный боту чат или введите его ID.',
  chatsHidden: 'Управление чатами для этого бота выключено: введите ID чата.',
  topicId: 'ID темы (необязательно)',
  topicHint: 'Для группы с темами.',
  url: 'URL',
  urlHint: 'Получает запросы POST с JSON.',
  allowed: 'Кто может нажимать кнопки',
  allowedHint:
    'Эти люди могут из чата повторить доставку и заглушить оповещение. Если никого нет, сообщения без кнопок.',
  nobody: 'Никто',
  severity: 'Важность',
  severities: {
    info: 'Любая важность',
    warning: 'Предупреждения и критические',
    critical: 'Только критические',
  },
  delay: 'Задержка в секундах',
  delayHint: 'О том, что закончится раньше, оповещения не будет.',
  more: 'Ещё настройки',
  kinds: 'Виды',
  kindsHint: 'Пусто — все.',
  bots: 'Боты',
  botsHint: 'Пусто — все боты и сам сервис.',
  quietHours: 'Тихие часы',
  quietHint: 'Новые оповещения ждут их окончания.',
  quietStart: 'С',
  quietEnd: 'До',
  timezone: 'Часовой пояс',
  added: (name) => `Добавлено: ${name}. Отправьте тест, чтобы проверить.`,
  secretTitle: 'Вебхук добавлен',
  secretOnce: 'Скопируйте секрет подписи сейчас: он показывается один раз.',
  secret: 'Секрет подписи',
  secretCopied: 'Секрет скопирован',
  deleteAsk: (name) => `Удалить канал «${name}»?`,
  deleteMeans: 'Оповещения сюда больше не придут. Отправленные сообщения останутся.',
  deleteDo: 'Удалить канал',
  openTitle: 'Открытые оповещения',
  noneOpen: 'Открытых оповещений нет.',
  resolvedTitle: 'Завершённые оповещения',
  resolvedHint: 'Хранятся 30 дней.',
  noneResolved: 'Завершённых оповещений нет.',
  service: 'Сервис',
  severityOf: { info: 'Сведения', warning: 'Предупреждение', critical: 'Критическое' },
  resolved: 'Завершено',
  resolvedAfter: (time) => `Завершено через ${time}`,
  opened: 'Открыто',
  times: (count) => counted(count, 'раз', 'раза', 'раз'),
  acknowledge: 'Взять на себя',
  acknowledgedBy: (name, time) => `взял(а) на себя ${name}, ${time}`,
  alreadyHas: (name) => `${name} уже занимается этим.`,
  takeBack: 'Больше не заниматься',
  muteFor: (time) => `Заглушить на ${time}`,
  unmute: 'Включить звук',
  mutedUntil: (time, name) => `заглушено до ${time}${name === '' ? '' : ` (${name})`}`,
  did: {
    retry: (name, time) => `повтор: ${name}, ${time}`,
    replay: (name, time) => `повторная доставка: ${name}, ${time}`,
    enable_bot: (name, time) => `включение: ${name}, ${time}`,
    enable_target: (name, time) => `включение: ${name}, ${time}`,
  },
  sent: { sending: 'отправляется', sent: 'отправлено', failed: 'сбой', skipped: 'не использован' },
  notSent: 'Ни в один канал не отправлено.',
  usedInstead: (name) => `Вместо этого отправлено: ${name}.`,
  usedNone: 'Ни один другой канал не доступен.',
  ownBot: (name) => `Оповещение касается бота этого канала. Вместо этого отправлено: ${name}.`,
  deletedChannel: (id) => `Удалённый канал ${id}`,
  openBot: 'Открыть бота',
  showChat: 'Показать чат',
  showUpdate: 'Показать обновление',
  lastAttempt: (ago) => `Последняя попытка: ${ago}.`,
  offer: 'Оповещения в Telegram',
  offerHint: 'Бот может сообщать, когда что-то требует внимания.',
  offerDo: 'Настроить',
  kindNames: {
    bot_refused: 'Бот не работает',
    bot_conflict: 'Бота опрашивает кто-то ещё',
    bot_trouble: 'Бот не получает обновления',
    backend_down: 'Бэкенд не работает',
    chats_in_retry: 'Обновления не принимаются',
    backlog: 'Бэкенд не успевает',
    dead_letters: 'Недоставленные обновления',
    reader_failing: 'Сбой читателя',
    polling_stopped: 'Приложение не опрашивает',
    unknown_sends: 'Неизвестно, дошли ли сообщения',
    updates_dropped: 'Удалены непрочитанные обновления',
    desk_unanswered: 'Клиенты ждут ответа',
    desk_waiting: 'Стол поддержки не может писать',
    route_failing: 'Сбой маршрута',
    route_topic_gone: 'Нет темы маршрута',
    route_to_disabled: 'Маршрут к отключённому боту',
    weak_secret: 'Слабый секретный токен',
    webhook_moved: 'Вебхук удалён',
    bot_disabled: 'Бот отключён',
    app_not_seen: 'Приложение молчит',
    app_rate_limited: 'Приложение превышает лимит',
    pattern_undecided: 'Шаблон слишком медленный',
    reader_lag: 'Читатель отстаёт',
    failed_sends: 'Неудачные отправки',
    broadcast_paused: 'Рассылка приостановлена',
    question_call_failed: 'Ответ не доставлен',
    scheduled_held: 'Сообщения не отправлены в срок',
    chat_flood_wait: 'Чат ждёт',
    certificate_expiring: 'Истекает сертификат',
    disk_low: 'Диск почти заполнен',
    database_unreachable: 'База данных недоступна',
    node_lost: 'Потерян узел',
    model_budget: 'Лимит модели исчерпан',
    backup_old: 'Резервная копия просрочена',
    channel_failing: 'Сбой канала оповещений',
  },
  sentences,
  pastSentences,
} satisfies PartialTexts<typeof Alerts>;

export const alertReasons = {
  no_open_alert: ({ alert_id }) => `Оповещение ${alert_id} уже закрыто.`,
  no_such_alert_channel: ({ channel_id }) => `Канал оповещений ${channel_id} не найден.`,
  names_no_channel: 'нет такого канала оповещений',
  too_many_alert_channels: ({ most }) =>
    `Каналов оповещений может быть не больше ${most}. Сначала удалите один.`,
  channel_field_needed: 'обязательное поле',
  channel_field_of_other: 'не подходит для этого канала',
  not_a_timezone: 'нужен часовой пояс из базы IANA, например Europe/Berlin',
  quiet_hours_empty: 'конец должен отличаться от начала',
  alert_bot_disabled: ({ bot_id }) => `Бот ${bot_id} отключён.`,
  alert_bot_refused: ({ bot_id }) => `Telegram отклоняет токен бота ${bot_id}.`,
  alert_not_sent: ({ seconds }) => `Не отправлено за ${seconds} с.`,
} satisfies Partial<ReasonTexts>;
