/*
 * Reads the bodies of calls that may be held, repeated or rewritten, and bounds the memory they take
 * until their calls end. What is too long, or finds no room, is streamed, but for its beginning.
 */
import type { IncomingMessage } from 'node:http';
import { readStart } from './params.ts';

export const longestRead = 1024 * 1024;
/** Holds the parameters of a form: clients write files last. */
const beginningBytes = 64 * 1024;
const mostBytesOfBot = 32 * 1024 * 1024;
const mostBytes = 4 * mostBytesOfBot;

export interface BodyInMemory {
  start: Buffer;
  /** False if the rest is unread. */
  isWhole: boolean;
  /** Call this when the call has ended. */
  release(): void;
}

export class BodiesInMemory {
  readonly #ofBot = new Map<number, number>();
  #all = 0;

  async read(botId: number, client: IncomingMessage): Promise<BodyInMemory> {
    // Without a length, the body may be as long as any that is read.
    const length = Number(client.headers['content-length'] ?? longestRead);
    const ofBot = this.#ofBot.get(botId) ?? 0;
    const isRead =
      length <= longestRead && ofBot + length <= mostBytesOfBot && this.#all + length <= mostBytes;
    const most = isRead ? longestRead : beginningBytes;
    const taken = Math.min(length, most);
    this.#change(botId, taken);
    try {
      const { start, isWhole } = await readStart(client, most);
      this.#change(botId, start.length - taken);
      return { start, isWhole, release: () => this.#change(botId, -start.length) };
    } catch (error) {
      this.#change(botId, -taken);
      throw error;
    }
  }

  #change(botId: number, by: number): void {
    this.#all += by;
    const bytes = (this.#ofBot.get(botId) ?? 0) + by;
    if (bytes === 0) this.#ofBot.delete(botId);
    else this.#ofBot.set(botId, bytes);
  }
}
