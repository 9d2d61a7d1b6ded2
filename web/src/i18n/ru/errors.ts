import type { RefusalCode } from '../../../../src/core/reasons/platform.ts';
import type { errors as Errors } from '../en/errors.ts';
import type { PartialTexts } from '../messages.ts';

export const severalProblems = 'Исправьте эти поля:';

export const fieldNames: Record<string, string> = {
  username: 'Имя',
  password: 'Пароль',
  name: 'Название',
  description: 'Описание',
  token: 'Токен',
  webhook_mode: 'Вебхук',
  proxy_enabled: 'Сервер',
  backend_url: 'Адрес сервера',
  secret_token: 'Секрет',
  source_bot_id: 'Принимающий бот',
  target_bot_id: 'Бот-получатель',
  target_chat_id: 'Чат назначения',
  source_chat_id: 'Чат',
  condition_value: 'Условие',
  api_url: 'Адрес',
  api_key: 'Ключ',
  model: 'Модель',
  text: 'Текст',
  caption: 'Подпись',
  tag: 'Метка',
  color: 'Цвет',
  expires_at: 'Срок',
  bot_ids: 'Боты',
};

export const fieldForms: Record<string, string> = {
  username: 'Только буквы, цифры и . _ @ + -, без пробелов.',
  token: 'Токен состоит из цифр, двоеточия и букв: 123456:ABC-DEF.',
  secret_token: 'Только латинские буквы, цифры, _ и -.',
};

export const errors = {
  offline: 'Служба недоступна. Запущена ли она?',
  unanswered: 'Служба не отвечает. Подождите или повторите.',
  invalid_request: 'Что-то заполнено не так.',
  malformed_json: 'Служба не смогла прочесть запрос страницы. Загрузите страницу ещё раз.',
  unauthorized: 'Сеанс закончился. Войдите снова.',
  invalid_credentials: 'Имя, пароль или ссылка не подошли. Проверьте их.',
  csrf_failed: 'Страница старее вашего сеанса. Загрузите её ещё раз.',
  insufficient_scope: 'Вам можно смотреть, но не менять. Обратитесь к администратору.',
  bot_not_allowed: 'Этот бот вам не назначен. Попросите администратора назначить его.',
  not_found: 'Этого больше нет. Загрузите страницу ещё раз, чтобы увидеть, что есть.',
  bot_not_found: 'Такого бота больше нет. В списке ботов те, что есть.',
  route_not_found: 'Этого маршрута уже нет. Загрузите страницу ещё раз.',
  tag_not_found: 'Этой метки уже нет.',
  message_not_found: 'Это сообщение здесь не хранится: оно старше бота или удалено.',
  chat_not_found: 'Этот чат здесь пока не знаком. Он появится со следующим сообщением.',
  key_not_found: 'Этого ключа уже нет.',
  user_not_found: 'Такого человека здесь не знают.',
  delivery_not_found: 'Этого уже нет в очереди: доставлено или удалено кем-то другим.',
  method_not_allowed: 'Служба не знает такого запроса. Загрузите страницу ещё раз.',
  token_refused: 'Telegram не принимает этот токен. Скопируйте его у @BotFather ещё раз.',
  token_taken: 'Бот с этим токеном здесь уже есть.',
  bot_disabled: 'Бот отключён. Сначала включите его.',
  management_disabled: 'Управление чатами у этого бота выключено. Включите его в настройках бота.',
  long_poll_disabled: 'Чтение через getUpdates у этого бота выключено. Включите его в настройках.',
  sandbox_disabled: 'Песочница выключена. Запустите службу с RELAY_SANDBOX=on.',
  conflict: 'Сейчас так нельзя: мешает то, что уже есть.',
  idempotency_mismatch: 'Такое уже отправлялось. Посмотрите, прежде чем повторять.',
  payload_too_large: 'Слишком большой объём.',
  unsupported_media_type: 'Служба не принимает такое содержимое.',
  platform_refused: 'Telegram отказал.',
  rate_limited: 'Слишком много запросов за короткое время. Подождите и повторите.',
  platform_rate_limited: 'Telegram просит не спешить. Подождите и повторите.',
  platform_unreachable: 'Служба не достаёт до Telegram. Проверьте её сеть.',
  platform_timeout:
    'Telegram не ответил вовремя. Возможно, всё сделано: проверьте, прежде чем повторять.',
  shutting_down: 'Служба перезапускается. Повторите через минуту.',
  bad_setting: 'В настройках службы ошибка. Какая — скажет её журнал.',
  data_dir_locked: 'Теми же данными пользуется другая служба. Остановите одну из них.',
  schema_too_new: 'Данные записаны более новой версией. Обновите службу.',
  secret_key_mismatch: 'Секретный ключ не подходит к данным. Верните тот, с которым они созданы.',
  no_previous_webhook: 'Прежнего вебхука нет, возвращать нечего.',
  database_unavailable: 'Служба сейчас не может пользоваться своей базой данных.',
  internal: 'Что-то сломалось внутри службы. Её журнал расскажет больше по номеру запроса.',
} satisfies PartialTexts<typeof Errors>;

export const refusals = {
  no_rights:
    'Боту не хватает права. Дайте его в Telegram: в самом чате или в настройках бизнес-аккаунта.',
  no_chat: 'Telegram не знает такого чата, или бот в нём не был.',
  not_there: 'Бота нет в этом чате. Добавьте его снова.',
  blocked: 'Человек остановил бота: писать можно будет, когда он запустит его снова.',
  message_gone: 'Этого сообщения в Telegram больше нет.',
  too_old: 'Telegram даёт ботам удалять сообщения только 48 часов, и не всякие.',
  unchanged: 'Ничего не изменится: так уже и написано.',
  is_admin: 'Это администратор: сначала снимите его права.',
  no_person: 'Telegram не знает такого человека в этом чате.',
  too_large: 'Файл больше, чем Telegram принимает от ботов (50 МБ).',
  account_too_late:
    'Telegram позволяет боту отвечать за бизнес-аккаунт сутки после последнего сообщения клиента.',
  account_over: 'Бизнес-аккаунт больше не даёт боту отвечать от своего имени.',
  bad_picture: 'Telegram не может показать это как картинку. Отправьте файлом.',
} satisfies Partial<Record<RefusalCode, string>>;
