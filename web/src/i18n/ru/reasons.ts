import { ended } from '../counting.ts';
import type { ReasonTexts } from '../reasons.ts';
import { alertReasons } from './alerts.ts';
import { appReasons } from './apps.ts';
import { rights } from './rights.ts';
import { routingReasons } from './routing-reasons.ts';
import { timelineReasons } from './timeline-reasons.ts';

const checkWords = { database: 'база данных', bots: 'управление ботами' };

const types: Record<string, string> = {
  string: 'строка',
  integer: 'целое число',
  number: 'число',
  boolean: 'true или false',
  array: 'список',
  object: 'объект',
  null: 'null',
};

const rightName = (right: string) => rights.names[right as keyof typeof rights.names] ?? right;

/** About one field of a form. */
const fields = {
  missing: 'обязательное поле',
  empty: 'не может быть пустым',
  blank: 'не может быть пустым',
  too_short: ({ least }) => `не короче ${least} символов`,
  too_long: ({ most }) => `не длиннее ${most} символов`,
  too_long_utf16: ({ most }) => `не длиннее ${most} единиц UTF-16`,
  too_few: ({ least }) => `не меньше ${least}`,
  too_many: ({ most }) => `не больше ${most}`,
  repeated_entry: 'не должно быть повторов',
  too_small: ({ least }) => `не меньше ${least}`,
  too_large: ({ most }) => `не больше ${most}`,
  zero_or_at_least: ({ least }) => `0 или не меньше ${least}`,
  not_allowed_value: ({ value }) => `не может быть ${String(value)}`,
  other_value: ({ value }) => `нужно: ${JSON.stringify(value)}`,
  not_one_of: ({ choices }) => `одно из: ${choices.join(', ')}`,
  wrong_type: ({ types: wanted }) =>
    `нужно: ${wanted.map((type) => types[type] ?? type).join(' или ')}`,
  wrong_form: 'содержит недопустимые символы',
  not_one_line: 'должно быть одной строкой без управляющих символов и символов направления текста',
  control_characters: 'не должно содержать управляющих символов и символов направления текста',
  nul_characters: 'не должно содержать символов NUL',
  half_a_character: 'не должно содержать половины суррогатной пары',
  not_a_moment: ({ example }) => `нужны дата и время с часовым поясом, например ${example}`,
  not_in_the_future: 'должно быть в будущем',
  over_a_year_ahead: 'должно быть не дальше чем через год',
  not_before_end: 'начало должно быть раньше конца',
  unknown_field: 'неизвестное поле',
  unknown_parameter: 'неизвестный параметр',
  given_twice: 'указано несколько раз',
  not_taken: 'не принимается',
  not_taken_in_body: 'в теле запроса не принимается',
  number_too_far: 'должно быть в пределах ±2^52',
  too_deep: ({ most }) => `вложенность больше ${most} уровней`,
  forbidden_name: 'недопустимое имя поля',
  not_an_update: 'нужен объект JSON с update_id',
  not_a_form: 'это не форма multipart/form-data',
  file_missing: 'добавьте файл последним полем формы',
  other_file_field: 'передайте файл в поле "file"',
  missing_before_file: 'укажите до файла',
  after_the_file: 'укажите до файла',
  key_has_no_password: 'обязательно: у ключа нет пароля',
  own_password_needed: 'обязательно, чтобы сменить свой пароль',
  backend_address_needed: 'укажите URL бэкенда',
  address_masked: 'адрес скрыт: введите его целиком или оставьте прежний',
  not_an_address: ({ example }) => `начните с http:// или https://, например ${example}`,
  spaces_in_address: 'без пробелов и управляющих символов',
  credentials_in_address: 'уберите имя и пароль из адреса, используйте секретный токен',
  address_not_allowed: 'адрес запрещён настройкой RELAY_BACKENDS',
  calls_not_signed: 'вызов нечем подписать: сначала задайте секрет бота (secret_token)',
  public_address_needed:
    'Для вебхука нужен публичный адрес. Задайте RELAY_PUBLIC_URL и перезапустите сервис или выключите этот режим.',
  token_not_accepted: 'Telegram отклонил токен',
  token_of_another_bot: 'токен другого бота: добавьте его отдельно',
  registered_already: 'уже зарегистрирован',
  names_no_bot: 'бот не найден',
  names_no_tag: 'метка не найдена',
  names_no_reply: 'шаблон не найден',
  names_no_route: 'маршрут не найден',
  names_no_chat: 'у бота нет такого чата',
  names_no_topic: 'в чате нет такой темы',
  names_no_message: 'сообщение в чате не сохранено',
  names_no_person: 'бот не встречал этого пользователя',
  names_no_account_message: 'это сообщение не из этого бизнес-аккаунта',
  right_missing: 'нет этого права в чате',
  used_with_other_request: 'уже использован в другом запросе',
  stored_message_needed:
    'не меньше 1: отрицательные ID есть только у сохранённых сообщений бизнес-аккаунтов',
  account_message_needed:
    'не меньше 1: отрицательные ID есть только у сообщений бизнес-аккаунтов, вместе с business_connection_id',
  caption_not_shown: 'подпись здесь не показывается, уберите её',
  letter_or_digit_needed: 'нужна хотя бы одна буква или цифра',
  not_together: ({ field }) => `нельзя указать вместе с ${field}`,
  until_and_duration: 'нельзя указать вместе с duration_seconds',
  until_out_of_range: ({ seconds }) => `от ${seconds} секунд до 366 дней вперёд; пусто — бессрочно`,
  not_a_color: 'нужен цвет вида #ff8800 или имя цвета CSS',
  needed_while_enabled: 'обязательно, если модель включена',
  key_needed_for_other_host: 'адрес ведёт на другой хост, введите ключ заново',
  routes_too_much:
    'слишком сложно вместе с другими маршрутами бота: уменьшите числа в {…} и списки слов',
  filters_too_much:
    'слишком сложно вместе с фильтрами других приложений бота: уменьшите числа в {…}',
  keywords_too_much: ({ most }) =>
    `вместе с другими приложениями бота больше ${most} слов: сократите список`,
  before_log: ({ least, bot_id }) => `не меньше ${least}: здесь начинается журнал бота ${bot_id}`,
  beyond_log: ({ most, bot_id }) => `не больше ${most}: здесь заканчивается журнал бота ${bot_id}`,
  rewind_target_needed: 'укажите одно из полей: position, since, to',
  replay_choice_needed: 'укажите одно из полей: ids, all_dead, from_position, matching',
  discard_choice_needed: 'укажите одно из полей: ids, all_dead',
  marks_choice_needed: 'укажите либо messages, либо bot_id, chat_id и ids',
  range_reversed: 'не может быть меньше from_position',
  field_wrong: ({ field, problem }, say) => `${field}: ${say(problem)}`,
  input_wrong: ({ field, problem }, say) => `${field}: ${say(problem)}`,
} satisfies Partial<ReasonTexts>;

/** About requests in general, and about permissions. */
const requests = {
  verbatim: ({ text }) => text,
  body_compressed: 'Сжатое тело запроса не поддерживается.',
  batch_too_long: ({ most }) => `Слишком много запросов в одном: не больше ${most}.`,
  body_not_taken: 'Этот запрос не принимает тело.',
  body_not_json: 'Тело запроса должно быть в формате JSON.',
  body_needed: 'Нужно тело запроса в формате JSON.',
  body_not_utf8: 'Тело запроса не в UTF-8.',
  body_malformed: 'Тело запроса — некорректный JSON.',
  body_too_large: 'Тело запроса слишком большое.',
  body_length_wrong: 'Длина тела запроса не совпадает с content-length.',
  body_no_update: 'Тело запроса — не обновление.',
  form_unreadable: 'Некорректная форма multipart/form-data.',
  form_or_json_needed: 'Отправьте форму с файлом или JSON с file_id.',
  file_too_large: ({ most_bytes }) =>
    `Файл слишком большой: не больше ${Math.floor(most_bytes / 1_048_576)} МБ.`,
  url_invalid: 'Некорректный URL.',
  request_unclear: 'Некорректный запрос.',
  headers_too_long: 'URL и заголовки слишком длинные: не больше 16 КБ.',
  request_too_late: 'Запрос передавался слишком долго.',
  not_http: 'Это не HTTP-запрос.',
  client_gone: 'Клиент закрыл соединение до ответа.',
  method_not_taken: ({ path, methods, method }) =>
    `${path} не поддерживает ${method}. Используйте ${methods.join(' или ')}.`,
  nothing_at: ({ path }) => `По адресу ${path} ничего не найдено.`,
  nothing_here: 'По этому адресу ничего не найдено.',
  no_such_file: 'Файл не найден.',
  too_many_requests: ({ seconds }) => `Слишком много запросов. Повторите через ${seconds} с.`,
  too_many_streams: ({ most }) =>
    `Слишком много открытых потоков событий (лимит: ${most}). Закройте один из них.`,
  too_many_streams_in_all: ({ most }) =>
    `Узел уже обслуживает ${most} потоков событий, это предел. Повторите позже.`,
  shutting_down: 'Сервис останавливается. Повторите чуть позже.',
  check_silent: ({ check }) => `${checkWords[check]}: нет ответа`,
  check_failed: ({ check }) => `${checkWords[check]}: недоступно`,
  service_stopping: 'сервис останавливается',
  deleted_meanwhile: 'То, к чему относится запрос, тем временем удалено.',
  internal_error: 'Внутренняя ошибка. Подробности в журнале сервиса.',
  unexpected: 'непредвиденная ошибка',
  key_reused:
    'Этот Idempotency-Key за последние 24 часа использован в другом запросе. Нужен новый.',
  first_request_cut_off:
    'Первый запрос прервался, но мог выполниться. Проверьте, прежде чем повторять.',
  database_unreachable:
    'База данных недоступна. Повторите через несколько секунд; начатое изменение могло сохраниться.',
  database_disk_full: 'Диск базы данных заполнен. Освободите место и повторите.',
  database_read_only:
    'Сервер базы данных не принимает запись. Проверьте, что это основной сервер, и повторите.',
  database_disk_failed:
    'База данных не может писать на диск. Проверьте диск и права доступа, затем повторите.',
  database_too_slow:
    'Запрос выполнялся слишком долго и был остановлен. Сузьте его, например до одного бота или меньшего периода.',
  database_crowded: 'Выполняется слишком много долгих запросов. Повторите через несколько секунд.',
  sandbox_refused: ({ text }) => text,
  sandbox_disabled: 'Песочница выключена. Запустите сервис с RELAY_SANDBOX=on.',
  sandbox_limited_key: 'Песочница показывает всех тестовых ботов: нужен доступ ко всем.',

  key_needed: 'Нужен ключ API.',
  key_invalid: 'Недействительный ключ API: ошибка в ключе, либо он отключён, истёк или удалён.',
  webhook_unknown: 'Неверный секрет вебхука для этого бота.',
  session_misused: 'Запрос пришёл с другого сайта.',
  csrf_token_wrong: 'Страница устарела. Обновите её.',
  scope_too_low: ({ needed, scope }) => `Нужен доступ «${needed}», а у вас «${scope}».`,
  bot_not_of_key: ({ bot_id }) => `У вас нет доступа к боту ${bot_id}.`,
  all_bots_needed: 'Это касается всех ботов, а вам доступны не все.',
  beyond_bots_of_key: 'Это касается ботов, к которым у вас нет доступа.',
  key_may_not_add_bots: 'Вам доступны только некоторые боты, добавлять новых нельзя.',
  chat_not_of_key: ({ chat_id }) => `Ваших ботов нет в чате ${chat_id}.`,
  chat_not_readable: ({ chat_id }) => `У вас нет доступа к чтению чата ${chat_id}.`,
  chat_not_writable: ({ chat_id }) => `Вам нельзя писать в чат ${chat_id}.`,
  all_chats_needed: 'Это касается всех чатов, а вам доступны не все.',
  file_not_of_chat: 'Вам доступны не все чаты. Укажите сообщение с этим файлом.',
  name_a_chat: 'Вам доступны не все чаты. Укажите один из доступных.',
  chat_limited_scope: 'ключ с ограничением по чатам может только читать или отправлять',
  daily_writes_used: ({ daily_writes }) =>
    `Ключ уже сделал ${daily_writes} изменений за сегодня (UTC). Подождите до завтра.`,
  tag_not_of_key: ({ tag_id }) => `Метка ${tag_id} относится к ботам, к которым у вас нет доступа.`,
  no_such_key: ({ key_id }) => `Ключ ${key_id} не найден.`,
  only_admin_key: ({ key_id }) =>
    `Ключ ${key_id} — единственный ключ администратора, а пользователей-администраторов нет. Сначала создайте другой.`,
  expiry_past: 'Срок действия должен быть в будущем.',
  setup_link_invalid:
    'Ссылка настройки недействительна, устарела, уже использована или администратор уже есть. Войдите, задайте пароль командой «bot-relay users password <имя>» или добавьте администратора командой «bot-relay users add <имя> --role admin».',
  user_exists: ({ username }) => `Имя ${username} уже занято. Выберите другое.`,
  wrong_name_or_password: 'Неверное имя пользователя или пароль.',
  user_changed: 'Этого пользователя только что изменили. Повторите.',
  current_password_wrong: 'Неверный текущий пароль.',
  too_many_sign_ins: ({ seconds }) => `Слишком много попыток входа. Повторите через ${seconds} с.`,
  no_such_user: ({ user_id }) => `Пользователь ${user_id} не найден.`,
  only_admin: ({ username }) =>
    `${username} — единственный администратор. Сначала назначьте другого.`,
} satisfies Partial<ReasonTexts>;

/** About bots, and the way to Telegram. */
const bots = {
  unknown_bot: ({ bot_id }) => `Бот ${bot_id} не найден.`,
  bot_disabled: ({ bot_id }) => `Бот ${bot_id} отключён. Сначала включите его.`,
  long_poll_off: ({ bot_id }) =>
    `Приложениям нельзя вызывать getUpdates бота ${bot_id}. Разрешите это в настройках бота.`,
  management_off: ({ bot_id }) =>
    `У бота ${bot_id} выключено управление чатами. Включите его в настройках бота.`,
  no_previous_webhook: ({ bot_id }) => `У бота ${bot_id} нет прежнего вебхука.`,
  token_refused: ({ description }) => `Ответ Telegram: ${description}`,
  bot_exists: ({ bot_id, platform_id }) =>
    `У бота ${bot_id} тот же Telegram ID, ${platform_id}. Замените его токен.`,
  chat_moved: ({ from, to }) => `Группа ${from} стала супергруппой ${to}. Измените ID в файле.`,
  bots_share_id: ({ bot_ids, platform_id }) =>
    `У ботов ${bot_ids.join(' и ')} один Telegram ID, ${platform_id}. Удалите тех, чей токен отозван.`,
  token_taken: ({ bot_id }) =>
    `Токен принадлежит ${bot_id === null ? 'другому боту' : `боту ${bot_id}`}`,
  platform_refused: ({ description }) => `Telegram отклонил запрос: ${description}`,
  platform_refused_with_code: ({ description, error_code }) =>
    `Telegram отклонил запрос: ${description} (${error_code})`,
  platform_refused_for_right: ({ refusal, right }, say) =>
    `${ended(say(refusal))} ${rights.needs(rightName(right))}`,
  partly_sent: ({ sent, parts, message_ids: ids }) =>
    `Отправлено сообщений: ${sent} из ${parts} (ID ${ids.join(', ')}). Что стало со следующим, показывает GET /api/outbox.`,
  send_outcome_unknown: ({ description }) =>
    `Сбой Telegram (${description}). Сообщение могло дойти: проверьте чат.`,
  send_too_old:
    'Не отправлено: сообщение слишком долго ждало, пока бота включат или подойдёт очередь.',
  send_waits_for_database: 'Ещё не отправлено: база данных была недоступна.',
  send_internal_error: 'Не отправлено: внутренняя ошибка. Подробности в журнале сервиса.',
  platform_wait: ({ seconds }) => `Telegram просит подождать. Повторите через ${seconds} с.`,
  platform_trouble_later: ({ description }) => `Сбой Telegram (${description}). Повторите позже.`,
  platform_nothing_sent: ({ cause }, say) => `${say(cause)} Ничего не отправлено. Повторите позже.`,
  platform_outcome_unknown: ({ cause }, say) =>
    `${say(cause)} Запрос мог выполниться: проверьте, прежде чем повторять.`,
  platform_without_message:
    'Telegram ответил без сообщения. Запрос мог выполниться: проверьте, прежде чем повторять.',
  platform_without_sent_message:
    'Telegram ответил без сообщения. Оно могло дойти: проверьте чат, прежде чем повторять.',
  platform_without_file: 'Telegram не вернул файл. Повторите позже.',
  platform_without_member: 'Telegram ничего не сообщил об этом участнике. Повторите позже.',
  sent_unrecorded:
    'Сообщение отправлено, но не сохранено. Проверьте чат, прежде чем отправлять ещё раз.',
  platform_called_off: 'Запрос к Telegram отменён.',
  platform_no_answer: ({ seconds }) => `Telegram не ответил за ${seconds} с.`,
  platform_answer_too_large: 'Ответ Telegram слишком большой.',
  platform_unreachable: ({ cause }) => `Telegram недоступен (${cause}).`,
  platform_not_bot_api: ({ status }) =>
    `TELEGRAM_API_URL ответил HTTP ${status}, и это не Bot API. Проверьте адрес и прокси на пути.`,
  platform_no_updates: 'Telegram вернул записи, которые не являются обновлениями.',
  file_not_fetched: 'Не удалось скачать файл.',
  file_not_fetched_status: ({ status }) => `Не удалось скачать файл (${status}).`,
  poll_called_off: 'Опрос отменён.',
  poll_no_answer: 'Telegram не ответил вовремя.',
  poll_answer_too_long: 'Ответ Telegram слишком длинный.',
  intake_unforeseen: 'Внутренняя ошибка, подробности в журнале сервиса. Повторяем.',
  webhook_needs_address:
    'Для вебхука нужен публичный адрес сервиса. Задайте RELAY_PUBLIC_URL или выключите вебхук.',
  webhook_was_removed: 'Другой клиент удалил вебхук бота. Вебхук восстановлен.',
  webhook_was_changed: ({ origin }) =>
    `Другой клиент сменил вебхук бота на ${origin}. Вебхук восстановлен.`,
  webhook_secret_not_restored:
    'Telegram не раскрывает секрет вебхука, поэтому вебхук установлен без него. Если получатель проверяет секрет, укажите его и восстановите вебхук ещё раз.',
  webhook_certificate_not_restored:
    'У вебхука был собственный сертификат, Telegram его не раскрывает. Загрузите его через setWebhook.',
  webhook_not_removed: 'Не удалось удалить вебхук в Telegram. Вызовы по нему отклоняются.',
  webhook_replaced: ({ origin }) =>
    `Вебхук ${origin} удалён, потому что обновления бота теперь получает сервис. Его можно восстановить в настройках.`,
  intake_token_refused: ({ description }) =>
    `Telegram отклоняет токен бота (${description}). Получите действующий у @BotFather.`,
  intake_wait: ({ seconds }) => `Telegram просит подождать ${seconds} с.`,
  intake_webhook_conflict: ({ description }) =>
    `Другой клиент установил вебхук для этого бота (${description}). Удалите его там или отключите и включите бота здесь.`,
  intake_poll_conflict: ({ description }) =>
    `Другой клиент опрашивает бота с тем же токеном (${description}). Остановите его или подключите к этому сервису.`,
  platform_trouble: ({ description }) => `Сбой Telegram (${description}).`,
  intake_refused: ({ description }) => `Telegram отклонил запрос: ${description}.`,
  intake_not_stored: 'База данных не сохранила обновления, пока их хранит Telegram. Повторяем.',
  webhook_not_delivered: ({ description }) =>
    `Telegram не может доставить на вебхук сервиса: ${description}.`,
} satisfies Partial<ReasonTexts>;

/** About messages, chats and people. */
const messages = {
  unknown_chat: ({ bot_id, chat_id }) =>
    `У бота ${bot_id} нет чата ${chat_id}. Чаты появляются с первым сообщением.`,
  unknown_topic: ({ message_thread_id }) => `В этом чате нет темы ${message_thread_id}.`,
  no_such_message: ({ message_id }) => `Сообщение ${message_id} в этом чате не сохранено.`,
  no_message_before: 'Это сообщение в чате не сохранено.',
  unwarnable: 'Владельца чата и самого бота нельзя предупредить.',
  no_such_warning: ({ warning_id }) => `Действующее предупреждение ${warning_id} не найдено.`,
  unknown_person: ({ bot_id, user_id }) => `Бот ${bot_id} не встречал пользователя ${user_id}.`,
  no_such_broadcast: ({ id }) => `Рассылка ${id} не найдена.`,
  broadcast_in_state: ({ id }) => `Сейчас с рассылкой ${id} этого сделать нельзя.`,
  broadcast_running: ({ bot_id }) =>
    `У бота ${bot_id} уже идёт другая рассылка. Дождитесь её конца или приостановите её.`,
  broadcast_forgotten: ({ id }) =>
    `Сообщения рассылки ${id} уже не хранятся: она закончилась больше 90 дней назад, или данные её чатов удалены.`,
  broadcast_costs: ({ recipients, stars }) =>
    `Отправка в чаты (${recipients}) стоит до ${stars} звёзд. Укажите это число в stars, чтобы согласиться.`,
  too_few_stars: ({ balance, least }) =>
    `У бота ${balance} звёзд, а для платной рассылки нужно ${least}. Пополните баланс или отправьте рассылку бесплатно.`,
  audience_grew: ({ shown, recipients }) =>
    `Теперь получателей ${recipients}, а не ${shown}. Проверьте и начните с этим числом.`,
  too_many_blocked: ({ percent }) => `Бота заблокировали больше ${percent} % чатов.`,
  broadcast_stood_still: 'Рассылка стояла больше суток. Продолжите её, если она ещё нужна.',
  broadcast_not_repeated: ({ send_id }) =>
    `Отправка ${send_id} относится к рассылке: в каждый чат она отправляется один раз. Напишите в чат отдельно.`,
  desk_step_not_repeated: ({ send_id }) =>
    `Отправка ${send_id} относится к столу: он повторяет её сам. Чтобы продолжить сразу, нажмите «Проверить» у стола.`,
  no_such_scheduled: ({ scheduled_id }) => `Запланированное сообщение ${scheduled_id} не найдено.`,
  scheduled_is_sent: ({ scheduled_id }) =>
    `Запланированное сообщение ${scheduled_id} уже отправлено или отменено.`,
  too_many_scheduled: ({ most }) =>
    `В этом чате уже ${most} запланированных сообщений. Отмените одно или запланируйте это позже.`,
  scheduled_overdue:
    'Срок истёк больше суток назад, поэтому сообщение не отправлено. Задайте новое время или отмените его.',
  scheduled_restored:
    'Срок наступил между созданием и восстановлением резервной копии, поэтому сообщение могло быть отправлено. Проверьте чат, затем задайте новое время или отмените его.',
  no_such_note: ({ note_id }) => `Заметка ${note_id} не найдена.`,
  no_such_reply: ({ reply_id }) => `Шаблон ответа ${reply_id} не найден.`,
  reply_name_taken: ({ name }) => `Шаблон «${name}» уже есть. Выберите другое название.`,
  too_many_replies: ({ most }) => `Шаблонов уже ${most}. Сначала удалите лишние.`,
  no_such_tag: ({ tag_id }) => `Метка ${tag_id} не найдена.`,
  private_chat: 'В личном чате некого модерировать.',
  supergroups_only: 'Telegram разрешает это только в супергруппах.',
  right_needed: ({ right }) => rights.needs(rightName(right)),
  not_to_itself: 'Бот не может сделать это с самим собой.',
  chat_owner: 'Это владелец чата.',
  appointed_by_other: 'Этого администратора назначил кто-то другой.',
  no_conversation: 'это группа или канал; диалоги бывают только в личных чатах',
  no_topic_conversation:
    'это не отдельный диалог: темы бывают диалогами только в личных чатах ботов с per_topic',
  chat_assigned: ({ name }) => `Диалог ведёт ${name}. Подтвердите, чтобы забрать его.`,
  confirm_to_take: 'подтвердите, чтобы забрать диалог',
  no_such_assignee: ({ assignee }) =>
    `${assignee}: нет такого пользователя с правом отвечать от имени бота и нет такого известного человека.`,
  me_is_no_user: 'у ключа нет пользователя: назовите его',
  person_is_user: ({ username }) =>
    `Этот человек в Telegram уже указан у пользователя ${username}.`,
  title_for_admins_only:
    'Должность есть только у администраторов. Сначала назначьте администратором.',
} satisfies Partial<ReasonTexts>;

/** About deliveries and sends. */
const deliveries = {
  no_dead_letters: ({ bot_id }) => `У бота ${bot_id} нет таких недоставленных обновлений.`,
  no_delivered_update: ({ position }) => `Этот бэкенд не получал обновления ${position}.`,
  no_waiting_queue: ({ queue }) => `Очередь повторов ${queue} не найдена.`,
  no_backend: 'У бота нет бэкенда. Укажите URL бэкенда в его настройках.',
  no_such_reader: ({ bot_id, reader }) => `У бота ${bot_id} нет читателя ${reader}.`,
  unnamed_consumer_stays:
    'Потребителя по умолчанию нельзя удалить. Запретите приложениям getUpdates в настройках бота.',
  push_is_no_consumer: 'Это пересылка на бэкенд. Выключите её в настройках бота.',
  routing_is_no_consumer:
    'Это маршрутизация, её нельзя удалить: она работает, пока у бота есть маршруты.',
  reader_is_no_consumer: 'Это внутренний читатель сервиса, его нельзя удалить.',
  no_such_send: ({ send_id }) => `Отправка ${send_id} не найдена.`,
  file_not_kept: 'Файл не сохранён. Загрузите его в новом сообщении.',
  not_to_be_sent_again: 'Повторить можно только отправки с ошибкой или неизвестным результатом.',
  chat_limit_reached: ({ seconds }) =>
    `Достигнут лимит отправки Telegram для этого чата. Повторите через ${seconds} с.`,
  abandoned: 'Сервис остановился во время отправки. Сообщение могло дойти: проверьте чат.',
  restored_unsent:
    'Сообщение стояло в очереди, когда создавалась восстановленная резервная копия. С тех пор оно могло быть отправлено: проверьте чат.',
  sent_without_files: ({ files }) =>
    `Отправлено без ${files === 1 ? 'файла' : `файлов (${files})`}: боты не могут скачивать такие большие файлы.`,
  source_bot_refused: 'Telegram не принимает токен бота, получившего файл. Задайте новый токен.',
  source_bot_gone: 'Бот, получивший файл, удалён.',
  file_without_path: 'Telegram не вернул путь к файлу.',
  edited_never_carried: 'Изменённое сообщение не пересылалось.',
  deleted_never_carried: 'Удалённое сообщение не пересылалось.',
  file_not_replaced: 'Файл не заменён: боты не могут скачивать такие большие файлы.',
  too_many_consumers: ({ most }) => `Достигнут лимит потребителей (${most}). Удалите лишнего.`,
  too_many_polls: 'Слишком много одновременных опросов этого потребителя.',
  other_poll: 'Опрос прерван другим запросом getUpdates.',
  consumer_removed: ({ consumer }) => `Потребитель ${consumer} удалён.`,
  connection_refused: ({ address }) => `${address} отклонил соединение`,
  name_unresolved: ({ address }) => `не удалось разрешить имя хоста ${address}`,
  name_lookup_failed: ({ address }) => `ошибка DNS для ${address}`,
  no_route_to_host: ({ address }) => `нет маршрута до ${address}`,
  connection_timed_out: ({ address }) => `тайм-аут соединения с ${address}`,
  connection_timed_out_10: ({ address }) => `тайм-аут соединения с ${address} (10 с)`,
  connection_closed: ({ address }) => `${address} закрыл соединение без ответа`,
  certificate_expired: ({ address }) => `сертификат ${address} истёк`,
  certificate_self_signed: ({ address }) => `сертификат ${address} самоподписанный`,
  certificate_chain_incomplete: ({ address }) => `неполная цепочка сертификатов ${address}`,
  certificate_other_name: ({ address }) => `сертификат ${address} выдан на другое имя`,
  no_tls: ({ address }) => `${address} не поддерживает TLS: может быть, нужен http?`,
  backend_not_allowed: ({ address }) => `${address} запрещён настройкой RELAY_BACKENDS`,
  backend_not_http: ({ address }) => `${address} ответил не по HTTP`,
  connection_failed: ({ address, cause }) =>
    `соединение с ${address} не удалось (${cause || 'причина неизвестна'})`,
  backend_answered: ({ status }) => `ответ ${status}`,
  backend_redirected: ({ status }) =>
    `ответ ${status}: перенаправления не поддерживаются, укажите конечный адрес`,
  backend_timeout: ({ seconds }) => `нет ответа за ${seconds} с`,
  waits_behind_others: 'ждёт: в очереди этого чата много обновлений',
} satisfies Partial<ReasonTexts>;

const backups = {
  backup_not_set_up:
    'Каталог для резервных копий не задан. Задайте RELAY_BACKUP_DIR или выполните «bot-relay backup». PostgreSQL копируйте с помощью pg_dump.',
  backup_directory_unusable: ({ directory, cause }) =>
    `Нельзя писать в ${directory} (${cause}). Разрешите сервису запись или измените RELAY_BACKUP_DIR.`,
  backup_no_space: ({ directory, needed, free }) =>
    `Для копии нужно ${needed}, а в ${directory} свободно ${free}. Освободите место, уменьшите RELAY_BACKUP_KEEP или измените RELAY_BACKUP_DIR.`,
  backup_disk_full: ({ directory }) =>
    `Диск каталога ${directory} заполнен. Освободите место, уменьшите RELAY_BACKUP_KEEP или измените RELAY_BACKUP_DIR.`,
  backup_not_sound: ({ cause }) =>
    `Копия базы не прошла проверку (${cause}). Проверьте диск, затем базу командой «bot-relay doctor».`,
  backup_failed: ({ cause }) => `Не удалось создать копию (${cause}). Смотрите журнал сервиса.`,
} satisfies Partial<ReasonTexts>;

export const reasons = {
  ...fields,
  ...requests,
  ...bots,
  ...messages,
  ...deliveries,
  ...routingReasons,
  ...timelineReasons,
  ...alertReasons,
  ...appReasons,
  ...backups,
} satisfies Partial<ReasonTexts>;
