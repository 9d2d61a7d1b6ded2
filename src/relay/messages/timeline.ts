/* Shows what became of messages: a mark for many, and each step for one. */
import { type Caller, callersBot, maySeeBot } from '../../core/access/access.ts';
import { mayReadChat, mayWriteChat } from '../../core/access/chat-limits.ts';
import { answererOf, readAuthor } from '../../core/messages/author.ts';
import type { MessageMark } from '../../core/messages/message-mark.ts';
import { reason } from '../../core/reasons/reason.ts';
import { readReason } from '../../core/reasons/stored.ts';
import { RelayError } from '../../errors.ts';
import type { BotRecord } from '../../store/bots/bots.ts';
import type { TracedAttempt } from '../../store/messages/message-traces.ts';
import type { MessageRow } from '../../store/messages/messages.ts';
import type { Store } from '../../store/store.ts';
import { isoTime } from '../../core/iso-time.ts';
import { archivedId } from '../../core/messages/business-messages.ts';
import {
  mostShown,
  stepOfNobody,
  stepOfReply,
  stepOfSend,
  stepsOfClaim,
  stepsOfOrigin,
  stepsOfReceiver,
  stepsOfRouting,
  type TimelineStep,
} from './timeline-steps.ts';
import { markOfUpdate, traceUpdates, type TraceDeps, type TracedUpdate } from './trace-updates.ts';

export interface TimelineKey {
  bot_id: number;
  chat_id: number;
  message_id: number;
}

export interface Timeline extends TimelineKey {
  mark: MessageMark;
  /** The position of its update in the log; 0 if it is not known, or came in none. */
  position: number;
  steps: TimelineStep[];
}

export interface TimelineService {
  timeline(caller: Caller, key: TimelineKey): Promise<Timeline>;
  /** Leaves out messages that are not stored. */
  marks(
    caller: Caller,
    query: { bot_id: number; chat_id: number; ids: readonly number[] },
  ): Promise<MarkedMessage[]>;
  /** The same for messages of any chats; leaves out those that the caller may not see. */
  marksOfAny(caller: Caller, messages: readonly MessageKey[]): Promise<MarkedMessage[]>;
}

export interface MessageKey {
  bot_id: number;
  chat_id: number;
  id: number;
}

export interface MarkedMessage extends MessageKey {
  mark: MessageMark;
}

export interface TimelineDeps extends TraceDeps {
  store: TraceDeps['store'] & Pick<Store, 'bots' | 'chats' | 'apps' | 'messageHistory' | 'routing'>;
}

/** Deliveries are looked for within this time after the update came or last failed. */
const soonMs = 60_000;
/** A message of the bot answers one of the person if it is among this many after it. */
const answerWithin = 20;

export function createTimelineService(deps: TimelineDeps): TimelineService {
  const { store } = deps;
  const { messageHistory: history, messageTraces: traces } = store;

  async function managedBot(caller: Caller, botId: number): Promise<BotRecord> {
    const bot = await callersBot(store.bots, caller, botId);
    if (bot.manage_enabled) return bot;
    throw new RelayError('management_disabled', reason('management_off', { bot_id: botId }));
  }

  /** Finds the message in the chat, or in the group that it was before. */
  async function existing({ bot_id: botId, chat_id, message_id: id }: TimelineKey) {
    const row = await history.get({ botId, chatId: chat_id, id });
    if (row) return row;
    const former = await store.chats.predecessorOf(botId, chat_id);
    const earlier = former && (await history.get({ botId, chatId: former, id }));
    if (earlier) return earlier;
    throw new RelayError(
      'message_not_found',
      reason('no_such_message', { chat_id, message_id: id }),
      { details: [{ field: 'message_id', problem: reason('names_no_message') }] },
    );
  }

  async function positionOf({ bot_id, chat_id, id }: MessageRow): Promise<number> {
    const [found] = await traces.positions(bot_id, chat_id, [id]);
    return found?.position ?? 0;
  }

  async function attemptsOf(botId: number, { entry, position }: TracedUpdate) {
    const failures = await traces.failures(botId, position, mostShown.attempts);
    const fromMs = Math.max(entry?.receivedAt ?? 0, failures.at(-1)?.startedAt ?? 0);
    const between = { fromMs: entry?.receivedAt ?? fromMs, toMs: fromMs + soonMs };
    const deliveries = fromMs === 0 ? [] : await traces.deliveries(botId, position, between);
    return [...failures, ...deliveries].sort((a, b) => a.startedAt - b.startedAt);
  }

  /** The replies, or else the next answer of the bot in a private chat. */
  async function repliesTo(row: MessageRow): Promise<MessageRow[]> {
    const { bot_id, chat_id, id } = row;
    const replies = await history.repliesTo(bot_id, chat_id, [id], mostShown.replies);
    if (chat_id < 0 || row.origin !== 'received') return replies;
    if (replies.some(({ origin }) => origin !== 'received')) return replies;
    const next = (await history.around(row, 0, answerWithin)).slice(1);
    const answer = next.find(isAnswer);
    return answer ? [...replies, answer] : replies;
  }

  /** The message that a message of the bot stands for, if a route carried it. */
  async function sourceOf(caller: Caller, row: MessageRow) {
    if (row.origin === 'received') return undefined;
    const { bot_id: botId, chat_id: chatId, id: messageId } = row;
    const [pair] = await store.routing.pairs.of({ botId, connection: '', chatId, messageId });
    if (!pair || !maySeeBot(caller, pair.peerBotId)) return undefined;
    if (!mayReadChat(caller, pair.peerChatId)) return undefined;
    return {
      bot_id: pair.peerBotId,
      chat_id: pair.peerChatId,
      message_id: archivedId(pair.peerConnection, pair.peerMessageId),
    };
  }

  async function stepsOf(caller: Caller, bot: BotRecord, row: MessageRow, traced?: TracedUpdate) {
    const steps = stepsOfOrigin(row, traced, await sourceOf(caller, row));
    if (traced) {
      const apps = traced.entry && traced.entry.claimedBy > 0 ? await store.apps.list(bot.id) : [];
      const attempts: TracedAttempt[] = await attemptsOf(bot.id, traced);
      steps.push(
        ...stepsOfClaim(traced, (appId) => apps.find(({ id }) => id === appId)?.name),
        ...stepsOfRouting(traced),
        ...traced.receivers
          .slice(0, mostShown.receivers)
          .flatMap((receiver) => stepsOfReceiver(receiver, attempts)),
        ...traced.answers.map(answerStep),
      );
      const isForNobody = traced.entry && traced.receivers.length === 0 && !traced.decision;
      if (isForNobody && !traced.waitsForRoutes) steps.push(stepOfNobody());
    }
    const replies = await repliesTo(row);
    const key = { bot_id: row.bot_id, chat_id: row.chat_id };
    const all = [...steps, ...replies.map((reply) => stepOfReply(reply, key))];
    return all.map((step) => stepFor(caller, step));
  }

  /** `ids` are those of one chat in each entry. */
  async function marked(
    caller: Caller,
    bot: BotRecord,
    chats: readonly { chat_id: number; ids: readonly number[] }[],
  ): Promise<MarkedMessage[]> {
    const perChat = chats.map(async ({ chat_id, ids }) => {
      const rows = await traces.positions(bot.id, chat_id, ids);
      return rows.map((row) => ({ ...row, chat_id }));
    });
    const found = (await Promise.all(perChat)).flat();
    const positions = found.flatMap(({ position }) => position ?? []);
    const traced = await traceUpdates(deps, caller, bot, positions);
    return found.map(({ chat_id, id, position, origin }) => ({
      bot_id: bot.id,
      chat_id,
      id,
      mark: markOfMessage(origin, position === null ? undefined : traced.get(position)),
    }));
  }

  return {
    async timeline(caller, key) {
      const bot = await managedBot(caller, key.bot_id);
      const row = await existing(key);
      const position = await positionOf(row);
      const traced = (await traceUpdates(deps, caller, bot, position > 0 ? [position] : [])).get(
        position,
      );
      return {
        bot_id: row.bot_id,
        chat_id: row.chat_id,
        message_id: row.id,
        mark: markOfMessage(row.origin, traced),
        position,
        steps: await stepsOf(caller, bot, row, traced),
      };
    },

    async marks(caller, { bot_id, chat_id, ids }) {
      return marked(caller, await managedBot(caller, bot_id), [{ chat_id, ids }]);
    },

    async marksOfAny(caller, messages) {
      const visible = messages.filter(
        ({ bot_id, chat_id }) => maySeeBot(caller, bot_id) && mayReadChat(caller, chat_id),
      );
      const ofBots = [...Map.groupBy(visible, ({ bot_id }) => bot_id)].map(async ([botId, own]) => {
        const bot = await store.bots.get(botId);
        if (!bot?.manage_enabled) return [];
        const chats = [...Map.groupBy(own, ({ chat_id }) => chat_id)];
        return marked(
          caller,
          bot,
          chats.map(([chat_id, some]) => ({ chat_id, ids: some.map(({ id }) => id) })),
        );
      });
      return (await Promise.all(ofBots)).flat();
    },
  };
}

/** Leaves out the chats that the caller may not read, and what the caller may not send again. */
function stepFor(caller: Caller, { target, action, why, ...step }: TimelineStep): TimelineStep {
  const { detail } = step;
  const send = detail?.code === 'step_send' ? detail.params : undefined;
  // The bot of a choice by meaning is hidden from those who may not see it.
  const isHidden = send && (send.bot_id === 0 || !mayReadChat(caller, send.chat_id));
  const isOffered =
    action?.type !== 'send_again' ||
    (send && !isHidden && maySeeBot(caller, send.bot_id) && mayWriteChat(caller, send.chat_id));
  const isShown = target && maySeeBot(caller, target.bot_id) && mayReadChat(caller, target.chat_id);
  return {
    ...step,
    ...(isHidden ? readReason(reason('step_send_hidden', { state: send.state })) : {}),
    ...(why && !isHidden ? { why } : {}),
    ...(isShown ? { target } : {}),
    ...(action && isOffered ? { action } : {}),
  };
}

/** A broadcast, or what the relay says by itself, answers nobody; older messages have no author. */
function isAnswer({ origin, author: stored }: MessageRow): boolean {
  if (origin === 'received') return false;
  const author = readAuthor(stored);
  return !author || answererOf(author, true) !== undefined;
}

/** A stored message of the bot has reached Telegram. */
function markOfMessage(origin: string, traced: TracedUpdate | undefined): MessageMark {
  if (origin !== 'received') return 'delivered';
  return traced ? markOfUpdate(traced) : 'none';
}

const answerStep = ({
  messageId,
  updatedAt,
  errorDetail,
  botId,
  chatId,
  ...send
}: TracedUpdate['answers'][number]) =>
  stepOfSend({
    ...send,
    bot_id: botId,
    chat_id: chatId,
    message_id: messageId ?? 0,
    error_detail: errorDetail,
    updated_at: isoTime(updatedAt),
  });
