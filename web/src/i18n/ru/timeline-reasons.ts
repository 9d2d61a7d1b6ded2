import type { ReasonTexts } from '../reasons.ts';
import { chats } from './chats.ts';
import { decisions } from './routing.ts';

type AuthorKind = keyof typeof chats.sentBy;

const sentBy = (kind: string, name: string) => chats.sentBy[kind as AuthorKind]?.(name) ?? name;
const sendState = (state: string) =>
  decisions.sends[state as keyof typeof decisions.sends] ?? state;
const outcomeOf = (outcome: string) =>
  decisions.outcomes[outcome as keyof typeof decisions.outcomes] ?? outcome;

/** `app` is empty for the bot itself. */
const toBackend = ({ app }: { app: string }) =>
  app === '' ? 'бэкенду' : `бэкенду приложения ${app}`;
const theBackend = ({ app }: { app: string }) =>
  app === '' ? 'бэкенд' : `бэкенд приложения ${app}`;

/** The steps of a message through the relay. */
export const timelineReasons = {
  step_received: ({ kind }) => `Получено от Telegram (${kind}).`,
  step_sent: 'Отправлено.',
  step_sent_by: ({ kind, name }) => `${sentBy(kind, name)}.`,
  step_carries: ({ bot_id, chat_id, message_id }) =>
    `Передаёт сообщение ${message_id} из чата ${chat_id} бота ${bot_id}.`,
  step_stored: ({ position }) => `Записано в журнал, позиция ${position}.`,
  step_removed: ({ position }) =>
    `Обновление на позиции ${position} удалено из журнала по сроку хранения.`,
  step_position_unknown:
    'Сохранено более старой версией или импортировано. Его обновление и получатели неизвестны.',
  step_claimed: ({ app }) => `Его забрало приложение ${app}: другие приложения его не получат.`,
  step_claimed_by_deleted: 'Его забрало удалённое приложение: другие приложения его не получат.',
  step_claimed_by_relay: 'Обработано самим Bot Relay: приложения его не получат.',
  step_routes_wait: 'Маршруты его ещё не прочитали.',
  step_routes: ({ outcome }) => `Маршруты: ${outcomeOf(outcome)}.`,
  step_route: ({ route_id }) => `Подошёл маршрут ${route_id}.`,
  step_chosen: ({ bot_id }) => `По смыслу выбран бот ${bot_id}.`,
  step_send: ({ state, bot_id, chat_id }) =>
    `Отправка в чат ${chat_id} через бота ${bot_id}: ${sendState(state)}.`,
  step_send_hidden: ({ state }) => `Отправка в чат, который вам не виден: ${sendState(state)}.`,
  for_desk: ({ desk_id, name }) => `Показано на столе ${name || desk_id}.`,
  desk_note: 'Разговор сотрудников: клиент его не получит.',
  desk_kept_out: 'Не попало в тему: клиент заблокирован.',
  step_desk_unknown: 'Темы больше не ждёт. Что с ним стало, уже не хранится.',
  step_desk_waits: 'Ждёт записи в тему клиента.',
  step_send_removed: 'Отправки этого маршрута удалены по сроку хранения.',
  step_attempt_failed: (to) => `Не доставлено ${toBackend(to)}.`,
  step_delivered: ({ status, ms, ...to }) => `Доставлено ${toBackend(to)}: ${status} за ${ms} мс.`,
  step_passed: (to) => `Доставка ${toBackend(to)} завершена. Сама попытка уже не найдена.`,
  step_delivery_waits: (to) => `Ждёт ${theBackend(to)}.`,
  step_dead: ({ attempts, ...to }) =>
    `Не доставлено окончательно: ${theBackend(to)} не принял его за ${attempts} попыток.`,
  step_read: ({ app }) => `Прочитано приложением ${app}.`,
  step_not_read: ({ app }) => `Приложение ${app} его ещё не прочитало.`,
  step_nobody: 'Его не получает ни бэкенд, ни приложение.',
  step_replied_by: ({ name }) => `Ответ от ${name}.`,
  step_answered: 'Бот ответил.',
  step_answered_by: ({ kind, name }) => `Ответ. ${sentBy(kind, name)}.`,
} satisfies Partial<ReasonTexts>;
