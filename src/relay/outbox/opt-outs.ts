/*
 * Lets people opt out of broadcasts: by the button under one, or by a word. `/start` brings them
 * back. If a press is lost in a crash, the person presses again.
 */
import type { Clock } from '../../clock.ts';
import { factsOf } from '../../core/apps/claims.ts';
import { object, text } from '../../core/log/wire.ts';
import type { Author } from '../../core/messages/author.ts';
import { optOutData } from '../../core/messages/broadcast.ts';
import type { Sender } from '../../core/ports.ts';
import type { LogEntry } from '../../store/log/log-entry.ts';
import type { BroadcastRepository } from '../../store/outbox/broadcasts.ts';

export interface OptOuts {
  /** Takes updates that were just stored. */
  received(botId: number, entries: readonly LogEntry[]): void;
  /** Reloads the words, which may have changed. */
  reload(): Promise<void>;
}

const author: Author = { kind: 'relay', id: 0, name: 'broadcasts' };

export function createOptOuts(deps: {
  clock: Clock;
  broadcasts: Pick<BroadcastRepository, 'optOuts' | 'mark'>;
  sender: Sender;
  onError(error: unknown): void;
}): OptOuts {
  const { broadcasts, clock, onError, sender } = deps;
  /** The words and the answers to them, by bot. */
  let words = new Map<number, { word: string; reply: string }[]>();

  function received(botId: number, entries: readonly LogEntry[]): void {
    const ofBot = words.get(botId);
    for (const entry of entries) {
      const isPress = entry.kind === 'callback_query';
      if (!isPress && (entry.kind !== 'message' || !ofBot)) continue;
      const { callbackData, chatId = 0, text: words } = factsOf(entry);
      // In a group, one member must not decide for all.
      if (chatId <= 0) continue;
      if (!isPress) said(botId, chatId, words.trim(), ofBot ?? []).catch(onError);
      else if (callbackData === optOutData) pressed(botId, chatId, entry.raw).catch(onError);
    }
  }

  async function pressed(botId: number, chatId: number, raw: string): Promise<void> {
    const queryId = text(object(object(JSON.parse(raw))?.callback_query)?.id);
    const isNew = await broadcasts.mark(botId, chatId, true, clock.now());
    const reply = words.get(botId)?.find((one) => one.reply !== '')?.reply ?? 'Unsubscribed.';
    await sender.send({
      botId,
      chatId: 0,
      method: 'answerCallbackQuery',
      params: { callback_query_id: queryId, text: isNew ? reply.slice(0, 200) : '' },
      priority: 'interactive',
      origin: 'sent',
      author,
    });
  }

  async function said(
    botId: number,
    chatId: number,
    words: string,
    ofBot: readonly { word: string; reply: string }[],
  ): Promise<void> {
    if (/^\/start\b/.test(words)) {
      await broadcasts.mark(botId, chatId, false, clock.now());
      return;
    }
    const asked = words.toLowerCase();
    const match = ofBot.find(({ word }) => word !== '' && word.toLowerCase() === asked);
    if (!match) return;
    await broadcasts.mark(botId, chatId, true, clock.now());
    if (match.reply === '') return;
    const params = { chat_id: chatId, text: match.reply };
    const how = { priority: 'interactive', origin: 'sent', author } as const;
    await sender.send({ botId, chatId, method: 'sendMessage', params, ...how });
  }

  return {
    received,
    async reload() {
      const all = await broadcasts.optOuts();
      words = Map.groupBy(all, ({ botId }) => botId);
    },
  };
}
