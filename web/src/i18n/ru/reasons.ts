import type { ReasonTexts } from '../reasons.ts';
import { rights } from './rights.ts';
import { routingReasons } from './routing-reasons.ts';

const checkWords = { database: 'база данных', bots: 'запуск ботов' };

const types: Record<string, string> = {
  string: 'текст',
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
  missing: 'нужно заполнить',
  empty: 'не может быть пустым',
  blank: 'не может быть пустым',
  too_short: ({ least }) => `не короче ${least} знаков`,
  too_long: ({ most }) => `не длиннее ${most} знаков`,
  too_long_utf16: ({ most }) => `не длиннее ${most} знаков`,
  too_few: ({ least }) => `не меньше ${least}`,
  too_many: ({ most }) => `не больше ${most}`,
  repeated_entry: 'названо дважды',
  too_small: ({ least }) => `не меньше ${least}`,
  too_large: ({ most }) => `не больше ${most}`,
  zero_or_at_least: ({ least }) => `0 или не меньше ${least}`,
  not_allowed_value: ({ value }) => `не может быть ${String(value)}`,
  other_value: ({ value }) => `нужно: ${JSON.stringify(value)}`,
  not_one_of: ({ choices }) => `одно из: ${choices.join(', ')}`,
  wrong_type: ({ types: wanted }) =>
    `нужно: ${wanted.map((type) => types[type] ?? type).join(' или ')}`,
  wrong_form: 'здесь есть недопустимые знаки',
  not_one_line: 'должно быть одной строкой без управляющих символов и символов направления текста',
  control_characters: 'не должно содержать управляющих символов и символов направления текста',
  nul_characters: 'не должно содержать символов NUL',
  half_a_character: 'не должно содержать половины суррогатной пары',
  not_a_moment: ({ example }) => `нужны дата и время с поясом, например ${example}`,
  not_in_the_future: 'должно быть в будущем',
  not_before_end: 'начало должно быть раньше конца',
  unknown_field: 'такого поля нет',
  unknown_parameter: 'такого параметра нет',
  given_twice: 'указано больше одного раза',
  not_taken: 'здесь не принимается',
  not_taken_in_body: 'в теле запроса не принимается',
  number_too_far: 'должно быть в пределах ±2^52',
  too_deep: ({ most }) => `вложено глубже ${most}`,
  forbidden_name: 'так поле называться не может',
  not_an_update: 'нужен объект JSON с update_id',
  not_a_form: 'это не форма multipart/form-data',
  file_missing: 'нужен файл, последним полем формы',
  other_file_field: 'файл должен быть в поле "file"',
  missing_before_file: 'нужно заполнить до файла, который идёт последним',
  after_the_file: 'стоит после файла, а файл должен идти последним',
  key_has_no_password: 'нужен номер: у ключа нет пароля',
  own_password_needed: 'нужен, чтобы сменить свой пароль',
  backend_address_needed: 'нужен адрес, раз обновления передаются',
  address_masked: 'адрес скрыт: введите его целиком или оставьте прежний',
  not_an_address: ({ example }) => `адрес начинается с http:// или https://, например ${example}`,
  spaces_in_address: 'без пробелов',
  credentials_in_address: 'уберите имя и пароль из адреса; для этого есть секрет',
  address_not_allowed: 'этот адрес запрещён настройкой RELAY_BACKENDS',
  public_address_needed:
    'Telegram нужен публичный адрес. Задайте RELAY_PUBLIC_URL и перезапустите службу или оставьте выключенным.',
  token_not_accepted: 'Telegram его не принимает',
  token_of_another_bot: 'это токен другого бота: добавьте того бота отдельно',
  registered_already: 'уже записан',
  names_no_bot: 'такого бота нет',
  names_no_tag: 'такой метки нет',
  names_no_route: 'такого маршрута нет',
  names_no_chat: 'бот не знает такого чата',
  names_no_message: 'такого сообщения в чате нет',
  names_no_person: 'бот не знает такого человека',
  names_no_account_message: 'такого сообщения в этом бизнес-аккаунте нет',
  right_missing: 'этого права в чате нет',
  used_with_other_request: 'уже использован с другим запросом',
  stored_message_needed:
    'не меньше 1: другие номера есть только у сохранённых сообщений бизнес-аккаунта',
  account_message_needed:
    'не меньше 1: другие номера есть только у сообщений бизнес-аккаунта, вместе с их business_connection_id',
  caption_not_shown: 'подпись здесь не показывается: уберите её',
  letter_or_digit_needed: 'нужна хотя бы одна буква или цифра',
  until_and_duration: 'нельзя указать вместе с duration_seconds',
  until_out_of_range: ({ seconds }) =>
    `должно быть от ${seconds} секунд до 366 дней вперёд; без него — навсегда`,
  not_a_color: 'нужен цвет вида #ff8800 или его имя в CSS',
  needed_while_enabled: 'нужно заполнить, раз модель включена',
  key_needed_for_other_host: 'адрес ведёт на другой сервер: введите ключ ещё раз',
  routes_too_much:
    'слишком много вместе с другими маршрутами бота: уменьшите числа в {…} и списки слов',
  before_log: ({ least, bot_id }) => `не меньше ${least}: дальше начинается журнал бота ${bot_id}`,
  beyond_log: ({ most, bot_id }) => `не больше ${most}: там кончается журнал бота ${bot_id}`,
  rewind_target_needed: 'укажите одно из position, since, to',
  replay_choice_needed: 'укажите одно из ids, all_dead, from_position',
  discard_choice_needed: 'укажите одно из ids, all_dead',
  range_reversed: 'не может быть меньше from_position',
  field_wrong: ({ field, problem }, say) => `${field}: ${say(problem)}`,
  input_wrong: ({ field, problem }, say) => `${field}: ${say(problem)}`,
} satisfies Partial<ReasonTexts>;

/** About a request as such, and about who may do what. */
const requests = {
  verbatim: ({ text }) => text,
  body_compressed: 'Сжатое тело запроса не принимается.',
  body_not_taken: 'Этот запрос не принимает тела.',
  body_not_json: 'Тело запроса должно быть JSON.',
  body_needed: 'Нужно тело запроса в JSON.',
  body_not_utf8: 'Тело запроса не в UTF-8.',
  body_malformed: 'Тело запроса — не JSON.',
  body_too_large: 'Тело запроса слишком большое.',
  body_length_wrong: 'Длина тела запроса не та, что указана.',
  body_no_update: 'Тело запроса — не обновление.',
  form_unreadable: 'Форму не удалось прочитать.',
  form_or_json_needed: 'Нужна форма с файлом или JSON с file_id.',
  file_too_large: ({ most_bytes }) =>
    `Файл может быть не больше ${Math.floor(most_bytes / 1_048_576)} МБ.`,
  url_invalid: 'Такого адреса быть не может.',
  request_unclear: 'Запрос непонятен.',
  headers_too_long: 'Адрес и заголовки слишком длинные.',
  request_too_late: 'Запрос не пришёл вовремя.',
  not_http: 'Это не запрос HTTP.',
  client_gone: 'Запрос прерван до ответа.',
  method_not_taken: ({ path, methods, method }) =>
    `${path} принимает ${methods.join(' или ')}, а не ${method}.`,
  nothing_at: ({ path }) => `По адресу ${path} ничего нет.`,
  nothing_here: 'Здесь ничего нет.',
  no_such_file: 'Такого файла нет.',
  too_many_requests: ({ seconds }) => `Слишком много запросов: повторите через ${seconds} с.`,
  too_many_streams: ({ most }) => `Открыто слишком много потоков событий, больше ${most}.`,
  shutting_down: 'Служба останавливается: повторите чуть позже.',
  check_silent: ({ check }) => `${checkWords[check]} не отвечает`,
  check_failed: ({ check }) => `${checkWords[check]} не работает`,
  service_stopping: 'служба останавливается',
  internal_error: 'Внутри службы что-то сломалось: подробности в её журнале.',
  unexpected: 'непредвиденная ошибка',
  key_reused: 'Этот Idempotency-Key уже использован с другим запросом: нужен новый.',
  first_request_cut_off:
    'Первый запрос оборвался: сделано ли дело, неизвестно. Посмотрите, прежде чем повторять.',
  database_unreachable:
    'База данных недоступна: повторите через несколько секунд. Начатое изменение могло быть сделано.',
  database_disk_full: 'Диск базы данных заполнен: освободите место и повторите.',
  database_disk_failed:
    'База данных не может писать на диск: проверьте диск и права доступа, затем повторите.',
  database_too_slow:
    'Это заняло слишком много времени и было остановлено: запросите меньше, например одного бота или меньший срок.',
  database_crowded: 'Выполняется слишком много долгих запросов: повторите через несколько секунд.',
  sandbox_refused: ({ text }) => text,
  sandbox_disabled: 'Песочница выключена: запустите службу с RELAY_SANDBOX=on.',
  sandbox_limited_key: 'В песочнице видны все её боты: нужен доступ ко всем.',

  key_needed: 'Нужен ключ API.',
  key_invalid: 'Этот ключ API здесь не действует.',
  webhook_unknown: 'Вебхука с таким секретом у этого бота нет.',
  session_misused: 'Этот запрос сделала другая страница.',
  csrf_token_wrong: 'Страница старше сеанса: загрузите её заново.',
  scope_too_low: ({ needed, scope }) => `Нужны права «${needed}», а у вас «${scope}».`,
  bot_not_of_key: ({ bot_id }) => `К боту ${bot_id} у вас нет доступа.`,
  all_bots_needed: 'Это касается всех ботов, а вам доступны не все.',
  beyond_bots_of_key: 'Это касается не только ваших ботов.',
  key_may_not_add_bots: 'Вам доступны только некоторые боты: добавлять других нельзя.',
  chat_not_of_key: ({ chat_id }) => `Внутри чата ${chat_id} нет ваших ботов.`,
  tag_not_of_key: ({ tag_id }) => `Метка ${tag_id} принадлежит чужим ботам.`,
  no_such_key: ({ key_id }) => `Ключа ${key_id} нет.`,
  only_admin_key: ({ key_id }) =>
    `Ключ ${key_id} — единственный с правами администратора, а пользователя-администратора нет: сначала создайте другой.`,
  expiry_past: 'Срок должен быть в будущем.',
  setup_link_invalid:
    'Ссылка недействительна, устарела или уже использована. Войдите с именем и паролем или добавьте пользователя командой «bot-relay users add».',
  user_exists: ({ username }) => `Имя ${username} уже занято.`,
  wrong_name_or_password: 'Имя и пароль не подходят друг к другу.',
  user_changed: 'Этого пользователя тем временем изменили: попробуйте ещё раз.',
  current_password_wrong: 'Нынешний пароль указан неверно.',
  too_many_sign_ins: ({ seconds }) => `Слишком много попыток войти: повторите через ${seconds} с.`,
  no_such_user: ({ user_id }) => `Пользователя ${user_id} нет.`,
  only_admin: ({ username }) =>
    `${username} — единственный администратор: сначала назначьте другого.`,
} satisfies Partial<ReasonTexts>;

/** About bots, and the way to Telegram. */
const bots = {
  unknown_bot: ({ bot_id }) => `Бота ${bot_id} нет.`,
  bot_disabled: ({ bot_id }) => `Бот ${bot_id} отключён.`,
  long_poll_off: ({ bot_id }) => `У бота ${bot_id} выключено чтение через getUpdates.`,
  management_off: ({ bot_id }) => `У бота ${bot_id} выключено управление чатами.`,
  no_previous_webhook: ({ bot_id }) => `У бота ${bot_id} нет прежнего вебхука.`,
  token_refused: ({ description }) => `Ответ Telegram: ${description}`,
  token_taken: ({ bot_id }) => `Он записан за ботом: ${bot_id === null ? 'другим' : bot_id}`,
  platform_refused: ({ description }) => `Telegram отказал: ${description}`,
  platform_refused_with_code: ({ description, error_code }) =>
    `Telegram отказал: ${description} (${error_code})`,
  platform_refused_for_right: ({ refusal, right }, say) =>
    `${say(refusal)} ${rights.needs(rightName(right))}`,
  send_outcome_unknown: ({ description }) =>
    `У Telegram неполадки (${description}); сообщение могло дойти.`,
  send_waits_for_database: 'Ещё не отправлено: база данных была недоступна.',
  send_internal_error: 'Не отправлено: ошибка внутри службы, подробности в её журнале.',
  platform_wait: ({ seconds }) => `Telegram просит подождать ${seconds} с.`,
  platform_trouble_later: ({ description }) => `У Telegram неполадки (${description}).`,
  platform_nothing_sent: ({ cause }, say) => say(cause),
  platform_outcome_unknown: ({ cause }, say) => say(cause),
  platform_without_message: 'Telegram ответил без сообщения: сделано ли дело, неизвестно.',
  platform_without_sent_message: 'Telegram ответил без сообщения: отправлено ли оно, неизвестно.',
  platform_without_file: 'Telegram не отдал файл: повторите позже.',
  platform_without_member: 'Telegram ничего не сказал об этом участнике.',
  sent_unrecorded:
    'Сообщение отправлено, но не записано. Посмотрите в чат, прежде чем отправлять ещё раз.',
  platform_called_off: 'Запрос к Telegram отменён.',
  platform_no_answer: ({ seconds }) => `Telegram не ответил за ${seconds} с.`,
  platform_answer_too_large: 'Ответ Telegram слишком большой.',
  platform_unreachable: ({ cause }) => `До Telegram не достучаться (${cause}).`,
  platform_not_bot_api: ({ status }) =>
    `Адрес Telegram ответил HTTP ${status}, и это не Bot API: проверьте TELEGRAM_API_URL и то, что стоит на пути.`,
  platform_no_updates: 'Telegram ответил тем, что не похоже на обновления.',
  file_not_fetched: 'Файл не удалось получить.',
  file_not_fetched_status: ({ status }) => `Файл не удалось получить (${status}).`,
  poll_called_off: 'Опрос прерван.',
  poll_no_answer: 'Telegram не ответил вовремя.',
  poll_answer_too_long: 'Ответ Telegram слишком длинный.',
  intake_unforeseen: 'Непредвиденная ошибка, подробности в журнале службы; попытки продолжаются.',
  webhook_needs_address:
    'Telegram нужен публичный адрес. Задайте RELAY_PUBLIC_URL или выключите вебхук.',
  webhook_was_removed: 'Другая программа сняла вебхук этого бота; он поставлен снова.',
  webhook_was_changed: ({ origin }) =>
    `Другая программа направила вебхук этого бота на ${origin}; он возвращён.`,
  webhook_secret_not_restored:
    'Telegram не показывает секрет вебхука, поэтому вебхук поставлен без секрета. Если получатель его проверяет, укажите секрет и верните вебхук ещё раз.',
  webhook_certificate_not_restored:
    'У вебхука был свой сертификат, который Telegram не показывает: загрузите его ещё раз через setWebhook.',
  webhook_not_removed: 'Вебхук не удалось снять в Telegram; вызовы по нему отклоняются.',
  webhook_replaced: ({ origin }) =>
    `Прежний вебхук ${origin} снят, потому что теперь бота опрашивает служба; его полный адрес сохранён.`,
  intake_token_refused: ({ description }) =>
    `Telegram не принимает токен бота (${description}): возьмите действующий у @BotFather.`,
  intake_wait: ({ seconds }) => `Telegram просит подождать ${seconds} с.`,
  intake_webhook_conflict: ({ description }) =>
    `Другая программа поставила вебхук этому боту (${description}): снимите его там или отключите и включите бота здесь.`,
  intake_poll_conflict: ({ description }) =>
    `Другая программа опрашивает этого бота с тем же токеном (${description}): остановите её или пусть читает через эту службу.`,
  platform_trouble: ({ description }) => `У Telegram неполадки (${description}).`,
  intake_refused: ({ description }) => `Telegram отказал: ${description}.`,
  intake_not_stored: 'База данных не приняла обновления; Telegram хранит их, пока не примет.',
  webhook_not_delivered: ({ description }) =>
    `Telegram не смог доставить обновления на вебхук службы: ${description}.`,
} satisfies Partial<ReasonTexts>;

/** About messages, chats and people. */
const messages = {
  unknown_chat: ({ bot_id, chat_id }) => `Бот ${bot_id} не знает чата ${chat_id}.`,
  no_such_message: ({ message_id }) => `Сообщения ${message_id} в этом чате нет.`,
  no_message_before: 'Такого сообщения в чате нет.',
  unwarnable: 'Владельца чата и самого бота предупредить нельзя.',
  no_such_warning: ({ warning_id }) => `Предупреждения ${warning_id} нет.`,
  unknown_person: ({ bot_id, user_id }) => `Бот ${bot_id} не знает человека ${user_id}.`,
  no_such_note: ({ note_id }) => `Заметки ${note_id} нет.`,
  no_such_tag: ({ tag_id }) => `Метки ${tag_id} нет.`,
  private_chat: 'В личном чате модерировать некого.',
  supergroups_only: 'Telegram позволяет это только в супергруппах.',
  right_needed: ({ right }) => rights.needs(rightName(right)),
  not_to_itself: 'С самим собой бот этого сделать не может.',
  chat_owner: 'Это владелец чата.',
  appointed_by_other: 'Этого администратора назначил кто-то другой.',
  title_for_admins_only: 'Подпись есть только у администраторов: сначала назначьте.',
} satisfies Partial<ReasonTexts>;

/** About deliveries and sends. */
const deliveries = {
  no_dead_letters: ({ bot_id }) => `У бота ${bot_id} таких недоставленных обновлений нет.`,
  no_waiting_queue: ({ queue }) => `Очередь ${queue} не ждёт.`,
  no_backend: 'У бота нет адреса сервера: укажите его в настройках.',
  no_such_reader: ({ bot_id, reader }) => `У бота ${bot_id} нет читателя ${reader}.`,
  unnamed_consumer_stays: 'Этот читатель остаётся: выключите чтение через getUpdates.',
  push_is_no_consumer: 'Это сама передача обновлений: выключите её в настройках бота.',
  routing_is_no_consumer: 'Это сама маршрутизация: она читает, пока у бота есть маршруты.',
  reader_is_no_consumer: 'Этот читатель — часть самой службы: удалить его нельзя.',
  no_such_send: ({ send_id }) => `Отправки ${send_id} нет.`,
  file_not_kept: 'Файл не сохранён: отправьте его заново.',
  not_to_be_sent_again: 'Повторить можно только то, что не удалось или чей исход неизвестен.',
  chat_limit_reached: ({ seconds }) =>
    `Бот отправляет в этот чат слишком часто для Telegram: повторите через ${seconds} с.`,
  abandoned: 'Служба остановилась во время отправки; сообщение могло дойти.',
  sent_without_files: 'Отправлено без файла: боту такой большой не получить.',
  source_bot_gone: 'Бота, который получил файл, больше нет',
  file_without_path: 'Telegram не сказал, где лежит файл',
  edited_never_carried: 'Изменённое сообщение не передавали',
  deleted_never_carried: 'Удалённое сообщение не передавали',
  file_not_replaced: 'Файл не заменён: боту такой большой не получить.',
  too_many_consumers: ({ most }) => `У бота уже ${most} читателей: удалите лишнего.`,
  too_many_polls: 'Слишком много опросов этого читателя сразу.',
  other_poll: 'Опрос прерван другим getUpdates.',
  consumer_removed: ({ consumer }) => `Читатель ${consumer} удалён.`,
  connection_refused: ({ address }) => `${address} не принимает соединений: запущен ли сервер?`,
  name_unresolved: ({ address }) => `имя в ${address} не находится`,
  name_lookup_failed: ({ address }) => `имя в ${address} не находится`,
  no_route_to_host: ({ address }) => `до ${address} нет пути`,
  connection_timed_out: ({ address }) => `не удалось вовремя соединиться с ${address}`,
  connection_timed_out_10: ({ address }) => `не удалось вовремя соединиться с ${address}`,
  connection_closed: ({ address }) => `${address} закрыл соединение, не ответив`,
  certificate_expired: ({ address }) => `сертификат ${address} просрочен`,
  certificate_self_signed: ({ address }) => `сертификат ${address} самоподписанный`,
  certificate_chain_incomplete: ({ address }) => `цепочка сертификатов ${address} неполна`,
  certificate_other_name: ({ address }) => `сертификат ${address} выдан на другое имя`,
  no_tls: ({ address }) => `${address} не говорит по TLS: может быть, http?`,
  backend_not_allowed: ({ address }) => `${address} запрещён настройкой RELAY_BACKENDS`,
  backend_not_http: ({ address }) => `${address} ответил не по HTTP`,
  connection_failed: ({ address, cause }) =>
    `соединение с ${address} не удалось (${cause || 'причина неизвестна'})`,
  backend_answered: ({ status }) => `ответ ${status}`,
  backend_redirected: ({ status }) =>
    `ответ ${status}: переадресации не выполняются, укажите конечный адрес`,
  backend_timeout: ({ seconds }) => `нет ответа за ${seconds} с`,
} satisfies Partial<ReasonTexts>;

export const reasons = {
  ...fields,
  ...requests,
  ...bots,
  ...messages,
  ...deliveries,
  ...routingReasons,
} satisfies Partial<ReasonTexts>;
