import type { RefusalCode } from '../../../../src/core/reasons/platform.ts';
import type { errors as Errors } from '../en/errors.ts';
import type { PartialTexts } from '../messages.ts';

export const severalProblems = 'Исправьте эти поля:';

export const fieldNames: Record<string, string> = {
  username: 'Имя пользователя',
  password: 'Пароль',
  name: 'Название',
  description: 'Описание',
  token: 'Токен',
  webhook_mode: 'Вебхук',
  proxy_enabled: 'Бэкенд',
  backend_url: 'URL бэкенда',
  secret_token: 'Секретный токен',
  source_bot_id: 'Исходный бот',
  target_bot_id: 'Целевой бот',
  target_chat_id: 'Целевой чат',
  source_chat_id: 'Исходный чат',
  condition_value: 'Условие',
  api_url: 'URL API',
  api_key: 'Ключ API',
  model: 'Модель',
  text: 'Текст',
  caption: 'Подпись',
  tag: 'Метка',
  color: 'Цвет',
  expires_at: 'Срок действия',
  bot_ids: 'Боты',
};

export const fieldForms: Record<string, string> = {
  username: 'Только буквы, цифры и . _ @ + -, без пробелов.',
  token: 'Неверный токен. Формат: цифры, двоеточие, буквы, например 123456:ABC-DEF.',
  secret_token: 'Только латинские буквы, цифры, _ и -.',
};

export const errors = {
  offline: 'Сервис недоступен. Проверьте, что он запущен.',
  unanswered: 'Сервис не отвечает. Повторите попытку.',
  invalid_request: 'Запрос заполнен с ошибкой.',
  malformed_json: 'Сервис не смог прочитать запрос. Обновите страницу.',
  unauthorized: 'Сеанс завершён. Войдите снова.',
  invalid_credentials: 'Неверные данные для входа.',
  csrf_failed: 'Страница устарела. Обновите её.',
  insufficient_scope: 'У вас нет прав на это изменение. Обратитесь к администратору.',
  bot_not_allowed: 'Этот бот вам не назначен. Обратитесь к администратору.',
  app_forbidden: 'Приложению это не разрешено.',
  not_found: 'Не найдено. Обновите страницу.',
  bot_not_found: 'Бот не найден. Выберите другого из списка.',
  route_not_found: 'Маршрут не найден. Обновите страницу.',
  app_not_found: 'Приложение не найдено. Обновите страницу.',
  tag_not_found: 'Метка не найдена. Обновите страницу.',
  message_not_found: 'Сообщение не сохранено: оно старше бота или удалено.',
  chat_not_found: 'Чат не найден. Он появится со следующим сообщением.',
  key_not_found: 'Ключ не найден. Обновите страницу.',
  user_not_found: 'Человек не найден. Обновите страницу.',
  delivery_not_found: 'Уже доставлено или отброшено. Обновите страницу.',
  method_not_allowed: 'Сервис не поддерживает этот запрос. Обновите страницу.',
  token_refused: 'Telegram отклонил токен. Скопируйте его у @BotFather ещё раз.',
  token_taken: 'Бот с этим токеном уже есть.',
  bot_exists: 'Этот бот уже добавлен с другим токеном. Замените токен у него.',
  app_exists: 'У этого бота уже есть приложение с таким именем.',
  too_many_apps: 'У этого бота уже 100 приложений. Сначала удалите одно.',
  bot_disabled: 'Бот отключён. Сначала включите его.',
  management_disabled:
    'Управление чатами для этого бота выключено. Включите его в настройках бота.',
  long_poll_disabled:
    'Приложениям нельзя вызывать getUpdates этого бота. Разрешите это в настройках бота.',
  sandbox_disabled: 'Песочница выключена. Запустите сервис с RELAY_SANDBOX=on.',
  conflict: 'Сейчас это невозможно.',
  idempotency_mismatch: 'Такой запрос уже был отправлен.',
  payload_too_large: 'Слишком большой объём данных. Уменьшите его.',
  unsupported_media_type: 'Неподдерживаемый тип содержимого. Обновите страницу.',
  platform_refused: 'Telegram отклонил запрос.',
  rate_limited: 'Слишком много запросов. Повторите чуть позже.',
  platform_rate_limited: 'Telegram ограничивает частоту запросов. Повторите чуть позже.',
  platform_unreachable: 'Telegram недоступен. Проверьте сеть сервиса.',
  platform_timeout: 'Telegram не ответил вовремя. Проверьте результат, прежде чем повторять.',
  shutting_down: 'Сервис перезапускается. Повторите чуть позже.',
  bad_setting: 'Ошибка в настройках сервиса. Подробности в его журнале.',
  data_dir_locked: 'Каталог данных занят другим сервисом. Остановите один из них.',
  schema_too_new: 'Данные записаны более новой версией. Обновите сервис.',
  secret_key_mismatch: 'Секретный ключ не подходит к данным. Верните исходный ключ.',
  no_previous_webhook: 'Прежнего вебхука нет.',
  database_unavailable: 'База данных недоступна. Проверьте журнал сервиса.',
  internal: 'Внутренняя ошибка. Найдите номер запроса в журнале сервиса.',
} satisfies PartialTexts<typeof Errors>;

export const refusals = {
  no_rights: 'Боту не хватает прав. Выдайте их в чате или в настройках бизнес-аккаунта.',
  no_chat:
    'Чат не найден в Telegram. Попросите человека запустить бота или добавьте бота в группу.',
  not_there: 'Бота нет в этом чате. Добавьте его.',
  blocked: 'Бот не может написать этому человеку. Попросите запустить или разблокировать бота.',
  message_gone: 'Этого сообщения в Telegram больше нет.',
  too_old: 'Telegram удаляет только сообщения за последние 48 часов, и не все.',
  unchanged: 'Новый текст не отличается от прежнего.',
  is_admin: 'Это администратор. Сначала снимите его права.',
  no_person: 'Telegram не нашёл этого человека в чате.',
  too_large: 'Файл больше 50 МБ — это лимит для ботов.',
  account_too_late:
    'Прошло больше 24 часов с последнего сообщения клиента: бот не может ответить за аккаунт.',
  account_over:
    'Бизнес-аккаунт больше не разрешает боту отвечать. Попросите владельца подключить бота.',
  bad_picture: 'Telegram не может показать это как фото. Отправьте файлом.',
} satisfies Partial<Record<RefusalCode, string>>;
