/*
 * Counts the calls that wait, so that their number is bounded: for a chat and for a bot, and for a
 * bot and this node by the memory they take.
 */
import type { PacedChat } from './flood-waits.ts';

export const mostHeldOfChat = 100;
export const mostHeldOfBot = 1_000;
export const mostHeldBytesOfBot = 32 * 1024 * 1024;
const mostHeldBytes = 4 * mostHeldBytesOfBot;

interface Held extends PacedChat {
  bytes: number;
}

export class HeldCalls {
  readonly #ofChat = new Map<string, number>();
  readonly #ofBot = new Map<number, number>();
  readonly #bytesOfBot = new Map<number, number>();
  #bytes = 0;

  hasRoomFor({ botId, chat, bytes }: Held): boolean {
    return (
      (this.#ofChat.get(`${botId} ${chat}`) ?? 0) < mostHeldOfChat &&
      (this.#ofBot.get(botId) ?? 0) < mostHeldOfBot &&
      (this.#bytesOfBot.get(botId) ?? 0) + bytes <= mostHeldBytesOfBot &&
      this.#bytes + bytes <= mostHeldBytes
    );
  }

  add(call: Held): void {
    this.#change(call, 1);
  }

  remove(call: Held): void {
    this.#change(call, -1);
  }

  #change({ botId, chat, bytes }: Held, by: 1 | -1): void {
    change(this.#ofChat, `${botId} ${chat}`, by);
    change(this.#ofBot, botId, by);
    change(this.#bytesOfBot, botId, bytes * by);
    this.#bytes += bytes * by;
  }
}

function change<Key>(counts: Map<Key, number>, key: Key, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
