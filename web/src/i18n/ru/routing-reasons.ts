import type { ReasonTexts } from '../reasons.ts';
import { conditionReasons } from './routes.ts';

/** The number of a route, or what the page calls it. */
const route = (id: unknown) => (typeof id === 'number' ? `#${id}` : String(id));

/** Why a message went where it went. */
export const routingReasons = {
  no_such_route: ({ route_id }) => `Маршрута #${route_id} нет.`,
  matched_routes: ({ routes }, say) =>
    routes.map(({ route_id, reason }) => `маршрут ${route(route_id)}: ${say(reason)}`).join('; '),
  all_of: ({ reasons }, say) => reasons.map(say).join(' '),
  behind_a_drop: ({ reason }, say) =>
    `${say(reason)}, но раньше сообщение останавливает другой маршрут`,
  ...conditionReasons,
  no_match: 'не подходит',
  message_edited: 'сообщение изменили',
  message_deleted: ({ message_id }) => `сообщение ${message_id} удалили`,
  edit_carried: 'Правка передана.',
  deletion_carried: 'Удаление передано.',
  edit_not_carried: 'Изменённое сообщение никуда не передавали.',
  deletion_not_carried: 'Удалённые сообщения никуда не передавали.',
  deleted_before_choice: 'Сообщение удалили до выбора модели; оно никуда не уйдёт.',
  edited_while_asked: 'Сообщение изменили, пока спрашивали модель; она спрошена заново.',
  superseded: ({ position }) => `Изменено или удалено до выбора модели: см. позицию ${position}.`,
  by_account_owner: 'Это написал владелец бизнес-аккаунта, а не клиент.',
  by_account_bot: 'Это бот написал от имени бизнес-аккаунта.',
  own_message: 'Это сообщение отправила сама служба.',
  no_rule_matched: 'Ни один маршрут не подошёл.',
  model_chooses: 'Ни один маршрут не подошёл; выбирает модель.',
  update_gone: 'Обновления больше нет в журнале.',
  too_many_hops: ({ hops }) => `Остановлено после ${hops} пересылок.`,
  reply_returned: ({ bot_id }) =>
    `Ответ на переданное сообщение уходит обратно через бота ${bot_id}.`,
  with_album: 'Решено вместе с альбомом.',
  hidden_bot: 'Выбран бот, к которому у вас нет доступа.',
  no_description_fits: 'Ни одно описание не подходит достаточно хорошо.',
  description_fits: ({ words }) => `Его описание подходит лучше всего${words ? `: ${words}` : ''}.`,
  model_gave_no_reason: 'Модель не объяснила выбор.',
  no_candidates: 'выбирать не из чего',
  no_model: 'модель не настроена',
  calls_used_up: 'запросы этого месяца исчерпаны',
  tokens_used_up: 'токены этого месяца исчерпаны',
  asking_needs_scope: 'чтобы спросить модель, нужны права «manage»',
  model_address_invalid: 'Адрес модели неверен.',
  model_answered: ({ status }) => `Адрес модели ответил ${status}.`,
  model_timeout: ({ ms }) => `Модель не ответила за ${ms} мс.`,
  model_unreachable: ({ cause }) => `До модели не достучаться: ${cause || 'сбой сети'}.`,
  model_not_allowed: ({ host }) =>
    `До модели не достучаться: настройка RELAY_BACKENDS не разрешает соединений с ${host}.`,
  model_answer_too_large: 'Ответ модели слишком большой.',
  model_not_completion: 'По адресу модели отвечает не модель.',
  model_not_json: 'Модель ответила не тем JSON, о котором её просили.',
  model_other_bot: 'Модель выбрала бота не из списка.',
  queued: 'в очереди',
  dropped: 'остановлено',
  not_sent_kind: 'не отправлено: такое сообщение другому боту не передать',
  not_sent_gone: 'не отправлено: бота-получателя больше нет',
  not_sent_disabled: 'не отправлено: бот-получатель отключён',
  returns_to_chat: 'Оно вернётся в тот же чат, откуда пришло.',
  arrives_if_started: ({ bot_id }) =>
    `В личном чате дойдёт, только если человек запустил бота ${bot_id}, в группе — только если он в ней состоит.`,
  bot_not_started: ({ bot_id }) => `Не дойдёт: этот человек не запускал бота ${bot_id}.`,
  bot_not_seen: ({ bot_id, chat_id }) =>
    `Может не дойти: бота ${bot_id} не видели внутри чата ${chat_id}.`,
  route_behind_drop: ({ route_id }) =>
    `Маршрут ${route(route_id)} останавливает все сообщения раньше.`,
  route_source_disabled: 'Принимающий бот отключён.',
  route_target_disabled: 'Бот-получатель отключён.',
  route_two_chats: 'Условие и фильтр называют разные чаты.',
  route_without_model: 'У принимающего бота выключен выбор языковой моделью.',
  route_leaves_none: ({ route_id }) =>
    `Маршрут ${route(route_id)} берёт все сообщения, и языковой модели ничего не остаётся.`,
  route_ring:
    'Эти боты передают сообщения друг другу по кругу. Переданное дальше не передаётся, так что ничего не зациклится, но один из маршрутов, вероятно, лишний.',
} satisfies Partial<ReasonTexts>;
