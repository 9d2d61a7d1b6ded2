import type { sendKinds } from '../../../core/alerts/kinds/sends.ts';
import { maskAddressesIn } from '../../../core/bots/bot-token.ts';
import { unpackReason } from '../../../core/reasons/stored.ts';
import { mostOverdueMs } from '../../../store/outbox/scheduled-sends.ts';
import { isoTime } from '../../../core/iso-time.ts';
import { openMinutes } from '../../../core/desks/working-hours.ts';
import { causeOfSend } from './send-cause.ts';
import type { Finder, Found } from './view.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const leastFailedSends = 5;

export const sendFinders = {
  unknown_sends: ({ unknownSends }) =>
    unknownSends.map(({ botId, count, since, ...first }) => ({
      kind: 'unknown_sends',
      botId,
      params: { count },
      since,
      ...causeOfSend(botId, first),
    })),
  async failed_sends({ nowMs }, { store }) {
    const failed = await store.alertConditions.failedSends(nowMs - hourMs, leastFailedSends);
    return failed.map(({ botId, count, ...last }) => ({
      kind: 'failed_sends',
      botId,
      params: { count },
      ...causeOfSend(botId, last),
    }));
  },
  async broadcast_paused(_view, { store }) {
    const paused = await store.alertConditions.pausedBroadcasts();
    return paused.map(({ botId, count, since, why }) => {
      const { text, detail } = unpackReason(why);
      const evidence = { text, ...(detail ? { textDetail: detail } : {}) };
      return { kind: 'broadcast_paused', botId, params: { count }, since, evidence };
    });
  },
  async question_call_failed({ nowMs }, { store }) {
    const failed = await store.questions.failedCalls(nowMs - 24 * hourMs);
    return failed.map(({ botId, chatId: chat_id, count, error, messageId: message_id, since }) => {
      const evidence = { text: maskAddressesIn(unpackReason(error).text) };
      const cause = { bot_id: botId, chat_id, message_id };
      return { kind: 'question_call_failed', botId, params: { count }, since, evidence, cause };
    });
  },
  async scheduled_held({ nowMs }, { store }) {
    const held = await store.alertConditions.heldSends(nowMs - minuteMs, nowMs - mostOverdueMs);
    return held.map(({ botId, count, since }) => ({
      kind: 'scheduled_held',
      botId,
      params: { count },
      since,
    }));
  },
  async chat_flood_wait({ nowMs }, { store }) {
    const waits = await store.alertConditions.floodWaits(nowMs);
    return waits.map(({ botId, chatId, since, until, app }) => ({
      kind: 'chat_flood_wait',
      botId,
      since,
      params: {
        chat_id: chatId,
        minutes: Math.ceil((until - since) / minuteMs),
        ...(app === '' ? {} : { app }),
      },
    }));
  },
  async desk_waiting(_view, { store }) {
    const waiting = await store.desks.waiting();
    return waiting.map(({ deskId: desk_id, deskBotId, customers, problem }) => {
      const { text, detail } = unpackReason(problem);
      const why = { why: text, ...(detail ? { why_detail: detail } : {}) };
      return {
        kind: 'desk_waiting',
        botId: deskBotId,
        params: { count: customers, desk_id, ...why },
      };
    });
  },
  async desk_unanswered({ nowMs }, { store }) {
    const found: Found[] = [];
    for (const desk of await store.desks.list()) {
      const { desk_bot_id: botId, id: desk_id, unanswered_minutes: minutes } = desk;
      // What was written at night counts from the morning on.
      if (minutes === 0 || (openMinutes(desk.working_hours, nowMs) ?? -1) < minutes) continue;
      const before = nowMs - minutes * minuteMs;
      const { count, chats } = await store.desks.unanswered(desk_id, before, nowMs);
      const [longest] = chats;
      if (!longest) continue;
      const names = chats.map(({ chat_id, name }) => name || String(chat_id));
      const people = count > chats.length ? [...names, '…'] : names;
      const params = {
        count,
        minutes,
        desk_id,
        people: people.join(', '),
        chats: chats.map((chat) => ({ ...chat, since: isoTime(chat.since) })),
      };
      const { bot_id, chat_id } = longest;
      const cause = { bot_id, chat_id, message_id: 0 };
      found.push({ kind: 'desk_unanswered', botId, params, since: longest.since, cause });
    }
    return found;
  },
  // A disabled bot and a topic that is gone are causes, which have their own alerts.
  route_failing({ failingRoutes, goneTopics, stillRoutes }) {
    const explained = new Set([...stillRoutes, ...goneTopics].map(({ routeId }) => routeId));
    return failingRoutes
      .filter(({ routeId }) => !explained.has(routeId))
      .map(({ botId, context, count, detail, routeId, since, targetBotId, text }) => ({
        kind: 'route_failing',
        botId,
        params: { count, route_id: routeId, target_bot_id: targetBotId },
        since,
        evidence: { text, ...(detail ? { textDetail: detail } : {}) },
        ...causeOfSend(botId, { context }),
      }));
  },
  route_topic_gone: ({ failingRoutes, goneTopics }) =>
    goneTopics.map(({ botId, chatId, routeId, since, targetBotId, threadId }) => ({
      kind: 'route_topic_gone',
      botId,
      params: {
        route_id: routeId,
        target_bot_id: targetBotId,
        chat_id: chatId,
        message_thread_id: threadId,
      },
      since,
      ...causeOfSend(botId, failingRoutes.find((route) => route.routeId === routeId) ?? {}),
    })),
  route_to_disabled: ({ botOf, stillRoutes }) =>
    stillRoutes
      .filter(({ botId }) => botOf.get(botId)?.disabled === false)
      .map(({ botId, routeId, targetBotId }) => ({
        kind: 'route_to_disabled',
        botId,
        params: { route_id: routeId, target_bot_id: targetBotId },
      })),
} satisfies Record<keyof typeof sendKinds, Finder>;
