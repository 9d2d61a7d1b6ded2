import type { ReasonTexts } from '../reasons.ts';
import { counted } from './counted.ts';
import { conditionReasons } from './routes.ts';

/** The number of a route, or its name on the page. */
const route = (id: unknown) => (typeof id === 'number' ? `#${id}` : String(id));

/** Why a message was routed where it was. */
export const routingReasons = {
  language_twice: ({ language }) =>
    language === '' ? 'два текста для всех остальных языков' : `два текста для языка ${language}`,
  bot_has_desk: ({ bot_id, desk_id, name }) =>
    `Бот ${bot_id} уже принадлежит столу ${name || desk_id}. Измените тот стол или сначала уберите бота из него.`,
  forum_has_desk: ({ chat_id, desk_id, name }) =>
    `Форум ${chat_id} уже принадлежит столу ${name || desk_id}. Измените тот стол.`,
  desk_bot_disabled: 'Бот стола отключён. Включите его.',
  desk_no_forum: 'Это не группа с темами. Включите темы в Telegram.',
  desk_not_admin: 'Бот стола — не администратор форума. Назначьте его в Telegram.',
  desk_lacks_right: ({ right }) => `У бота стола нет права ${right}. Дайте его в Telegram.`,
  no_such_route: ({ route_id }) => `Маршрут #${route_id} не найден.`,
  matched_routes: ({ routes }, say) =>
    routes.map(({ route_id, reason }) => `маршрут ${route(route_id)}: ${say(reason)}`).join('; '),
  all_of: ({ reasons }, say) => reasons.map(say).join(' '),
  behind_a_drop: ({ reason }, say) => `${say(reason)}, но раньше сообщение отбросил другой маршрут`,
  ...conditionReasons,
  no_match: 'не подходит',
  chosen_by_meaning: 'выбран по смыслу',
  not_chosen_by_meaning: 'не выбран по смыслу',
  meaning_skipped: 'пропущен: подошёл другой маршрут',
  route_disabled: 'отключён',
  message_edited: 'сообщение изменили',
  message_deleted: ({ message_id }) => `сообщение ${message_id} удалили`,
  edit_carried: 'Правка переслана.',
  deletion_carried: 'Удаление переслано.',
  edit_not_carried: 'Изменённое сообщение не пересылалось.',
  deletion_not_carried: 'Удалённые сообщения не пересылались.',
  deleted_before_choice: 'Сообщение удалили до решения модели, поэтому оно не пересылается.',
  edited_while_asked: 'Сообщение изменили, пока модель решала. Запрос к модели повторяется.',
  superseded: ({ position }) => `Изменено или удалено до решения модели: см. позицию ${position}.`,
  by_account_owner: 'Это написал владелец бизнес-аккаунта, а не клиент.',
  by_account_bot: 'Бот написал это от имени бизнес-аккаунта.',
  own_message: 'Это сообщение отправил сам Bot Relay.',
  no_rule_matched: 'Ни один маршрут не подошёл.',
  routes_undecided: ({ route_ids }) =>
    `Ни один маршрут не подошёл. Не решено, потому что выражения проверяются слишком долго: ${route_ids.map(route).join(', ')}.`,
  model_chooses: 'Ни один маршрут не подошёл. Решает модель.',
  update_gone: 'Обновления больше нет в журнале.',
  too_many_hops: ({ hops }) =>
    `Остановлено после ${counted(hops, 'пересылки', 'пересылок', 'пересылок')}.`,
  reply_returned: ({ bot_id }) =>
    `Ответ на пересланное сообщение возвращается через бота ${bot_id}.`,
  with_album: 'Решено вместе с альбомом.',
  hidden_bot: 'Выбран бот, к которому у вас нет доступа.',
  no_description_fits: 'Ни одно описание не подходит достаточно хорошо.',
  description_fits: ({ words }) => `Его описание подходит лучше всего${words ? `: ${words}` : ''}.`,
  model_gave_no_reason: 'Модель не объяснила выбор.',
  no_candidates: 'нет подходящих ботов',
  no_model: 'модель не настроена',
  calls_used_up: 'достигнут месячный лимит запросов',
  tokens_used_up: 'достигнут месячный лимит токенов',
  asking_needs_scope: 'для запроса к модели нужен доступ «Управление»',
  model_address_invalid: 'Некорректный URL модели.',
  model_answered: ({ status }) => `Адрес модели ответил ${status}.`,
  model_timeout: ({ ms }) => `Модель не ответила за ${ms} мс.`,
  model_unreachable: ({ cause }) => `Модель недоступна: ${cause || 'сбой сети'}.`,
  model_not_allowed: ({ host }) => `Настройка RELAY_BACKENDS не разрешает соединения с ${host}.`,
  model_answer_too_large: 'Слишком длинный ответ модели.',
  model_not_completion: 'Адрес модели вернул не chat completion.',
  model_not_json: 'Модель вернула не тот JSON, который ожидался.',
  model_other_bot: 'Модель выбрала бота не из списка.',
  queued: 'в очереди',
  dropped: 'отброшено',
  not_sent_kind: 'не отправлено: такие сообщения нельзя переслать другому боту',
  not_sent_gone: 'не отправлено: целевой бот удалён',
  not_sent_disabled: 'не отправлено: целевой бот отключён',
  returns_to_chat: 'Сообщение вернётся в чат, из которого пришло.',
  arrives_if_started: ({ bot_id }) =>
    `В личном чате дойдёт, только если человек запустил бота ${bot_id}, в группе — только если бот ${bot_id} в ней состоит.`,
  bot_not_started: ({ bot_id }) => `Не дойдёт: этот человек не запускал бота ${bot_id}.`,
  bot_not_seen: ({ bot_id, chat_id }) =>
    `Может не дойти: бота ${bot_id} не видели в чате ${chat_id}.`,
  target_topic_gone: ({ bot_id, message_thread_id }) =>
    `Не дойдёт: бот ${bot_id} не может писать в тему ${message_thread_id}: её удалили или выключили. Выберите другую тему.`,
  route_behind_drop: ({ route_id }) =>
    `Маршрут ${route(route_id)} отбрасывает все сообщения раньше этого.`,
  route_source_disabled: 'Исходный бот отключён.',
  route_target_disabled: 'Целевой бот отключён.',
  route_two_chats: 'В условии и в фильтре указаны разные чаты.',
  route_without_model: 'У исходного бота выключен выбор по смыслу.',
  route_leaves_none: ({ route_id }) =>
    `Маршрут ${route(route_id)} забирает все сообщения, до модели ничего не доходит.`,
  route_ring:
    'Эти боты пересылают сообщения друг другу по кругу. Пересланное не пересылается повторно, поэтому цикла не будет, но проверьте, нужны ли все эти маршруты.',
} satisfies Partial<ReasonTexts>;
