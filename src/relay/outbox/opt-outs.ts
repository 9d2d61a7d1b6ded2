/*
 * Lets people opt out of broadcasts: by the button under one, or by a word. `/start` brings them
 * back. They are taken once their update is stored, so a crash may come between; the node that takes
 * over the bot looks at its last updates again.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { factsOf } from '../../core/apps/claims.ts';
import { object, text } from '../../core/log/wire.ts';
import type { Author } from '../../core/messages/author.ts';
import { optOutData } from '../../core/messages/broadcast.ts';
import type { Sender } from '../../core/ports.ts';
import type { LogEntry } from '../../store/log/log-entry.ts';
import type { LogRepository } from '../../store/log/log.ts';
import type { BroadcastRepository } from '../../store/outbox/broadcasts.ts';
import type { OptOutWord } from '../../store/outbox/opt-outs.ts';

export interface OptOuts {
  /** Takes updates that were just stored. */
  received(botId: number, entries: readonly LogEntry[]): void;
  /** Takes the last updates of a bot, of which a crash may have lost some. */
  lookBack(botId: number): Promise<void>;
  /** Reloads the words, which may have changed. */
  reload(): Promise<void>;
}

const author: Author = { kind: 'relay', id: 0, name: 'broadcasts' };
/** Many more than one append stores. */
const lookedBackOver = 500;
const portion = 100;
/** A `/start` that was just stored comes after all that is marked, whatever the clocks of the nodes say. */
const afterAll = Number.MAX_SAFE_INTEGER;

/** What a person asked for. */
interface Wish {
  chatId: number;
  isOut: boolean;
  at: number;
  position: number;
  reply: string;
  /** The press that asked; '' for a message. */
  queryId: string;
}

export function createOptOuts(deps: {
  broadcasts: Pick<BroadcastRepository, 'optOuts' | 'mark'>;
  log: Pick<LogRepository, 'head' | 'read'>;
  sender: Sender;
  onError(error: unknown): void;
}): OptOuts {
  const { broadcasts, log, onError, sender } = deps;
  /** The words and the answers to them, by bot, the newest first. */
  let words = new Map<number, OptOutWord[]>();
  let loaded: Promise<void> | undefined;
  /** The last mark that is being made for a chat. */
  const marking = new Map<string, Promise<unknown>>();
  /** Bots look back one after the other, because a node may take over a thousand at once. */
  let lookedBack: Promise<void> = Promise.resolve();

  async function reload(): Promise<void> {
    words = Map.groupBy(await broadcasts.optOuts(), ({ botId }) => botId);
  }

  function wishOf(entry: LogEntry, ofBot: readonly OptOutWord[]): Wish | undefined {
    const isPress = entry.kind === 'callback_query';
    if (!isPress && (entry.kind !== 'message' || ofBot.length === 0)) return undefined;
    const { callbackData, chatId = 0, text: said } = factsOf(entry);
    // In a group, one member must not decide for all.
    if (chatId <= 0) return undefined;
    const { position, receivedAt: at } = entry;
    const wish = { chatId, isOut: true, at, position, queryId: '' };
    if (isPress) {
      if (callbackData !== optOutData) return undefined;
      const queryId = text(object(object(JSON.parse(entry.raw))?.callback_query)?.id);
      const reply = ofBot.find((one) => one.reply !== '')?.reply ?? 'Unsubscribed.';
      return { ...wish, queryId, reply };
    }
    const asked = said.trim().toLowerCase();
    if (/^\/start\b/.test(asked)) return { ...wish, isOut: false, reply: '' };
    const match = ofBot.find(({ word }) => word !== '' && word.toLowerCase() === asked);
    return match && { ...wish, reply: match.reply };
  }

  /** Requests of one person take effect in order: a slow `/start` must not undo the STOP after it. */
  function fulfil(botId: number, wish: Wish): Promise<void> {
    const key = `${botId} ${wish.chatId}`;
    const marked = (marking.get(key) ?? Promise.resolve()).then(() =>
      broadcasts.mark(botId, wish.chatId, wish.isOut, wish.isOut ? wish.at : afterAll),
    );
    const settled = marked
      .catch(() => {})
      .then(() => {
        if (marking.get(key) === settled) marking.delete(key);
      });
    marking.set(key, settled);
    return marked.then(() => tell(botId, wish));
  }

  async function tell(botId: number, { chatId, isOut, queryId, reply }: Wish): Promise<void> {
    if (!isOut || reply === '') return;
    const how = { priority: 'interactive', origin: 'sent', author } as const;
    if (queryId === '') {
      const params = { chat_id: chatId, text: reply };
      await sender.send({ botId, chatId, method: 'sendMessage', params, ...how });
      return;
    }
    const params = { callback_query_id: queryId, text: reply.slice(0, 200) };
    await sender.send({ botId, chatId: 0, method: 'answerCallbackQuery', params, ...how });
  }

  async function lookBackOn(botId: number): Promise<void> {
    loaded ??= reload();
    await loaded.catch((error: unknown) => {
      loaded = undefined;
      throw error;
    });
    if (!words.has(botId)) return;
    const { lastPosition } = await log.head(botId);
    const unanswered = new Map<number, Wish>();
    let position = Math.max(0, lastPosition - lookedBackOver);
    for (;;) {
      const read = await optOutsAfter(botId, position);
      // Updates that arrive meanwhile may have been taken before these marks.
      if (read.position === position) break;
      ({ position } = read);
      for (const wish of read.optOuts.values()) {
        const isNew = await broadcasts.mark(botId, wish.chatId, wish.isOut, wish.at);
        // A request that was marked before, or was taken as it arrived, gets no second reply.
        if (isNew && wish.position <= lastPosition) unanswered.set(wish.chatId, wish);
        else unanswered.delete(wish.chatId);
      }
    }
    for (const wish of unanswered.values()) tell(botId, wish).catch(onError);
  }

  /** Reads the last wish of each chat up to the end of the log. */
  async function optOutsAfter(
    botId: number,
    first: number,
  ): Promise<{ optOuts: Map<number, Wish>; position: number }> {
    const optOuts = new Map<number, Wish>();
    let position = first;
    for (;;) {
      const entries = await log.read(botId, position, portion);
      for (const entry of entries) {
        // A word means nothing before a broadcast explains it.
        const known = words.get(botId)?.filter(({ since }) => since <= entry.receivedAt);
        const wish = wishOf(entry, known ?? []);
        if (wish) optOuts.set(wish.chatId, wish);
        ({ position } = entry);
      }
      if (entries.length < portion) return { optOuts, position };
      // SQLite answers at once, so nothing else would run in between.
      await nextTurn();
    }
  }

  return {
    received(botId, entries) {
      for (const entry of entries) {
        const wish = wishOf(entry, words.get(botId) ?? []);
        if (wish) fulfil(botId, wish).catch(onError);
      }
    },
    lookBack(botId) {
      const looked = lookedBack.then(() => lookBackOn(botId));
      lookedBack = looked.catch(() => {});
      return looked;
    },
    reload,
  };
}
