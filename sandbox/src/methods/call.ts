import type { ApiMethods, Message } from '@grammyjs/types';
import type { Upload } from '../world/messages/files.ts';
import type { BotRecord } from '../world/bot-records.ts';
import type { World } from '../world/world.ts';
import type { Params } from './params.ts';

/** The update side of a bot, as far as its methods use it. */
export interface Transport {
  getUpdates(call: Call): Promise<string> | string;
  setWebhook(bot: BotRecord): void;
  deleteWebhook(bot: BotRecord): void;
  stopPolling(bot: BotRecord, reason: string): void;
}

export interface Call {
  world: World;
  bot: BotRecord;
  method: string;
  params: Params;
  transport: Transport;
  /** Downloads media with an `https://…` address; without it such media is refused. */
  fetchUrl?: ((url: string) => Promise<Upload>) | undefined;
  strictWebhookUrls: boolean;
  signal?: AbortSignal | undefined;
}

type Api = ApiMethods<Upload>;

/**
 * Messages are built from stored content, so types cannot show that a photo message has a photo;
 * only tests can.
 */
type Loose<T> = T extends { message_id: number; chat: object }
  ? Message
  : T extends (infer Item)[]
    ? Loose<Item>[]
    : T;

type Answer<T> = T | Promise<T> | Described<T> | Promise<RawJson>;

export type Method = (call: Call) => unknown;

/** Methods by lower-case name, each with the result type of the Bot API. */
export type MethodTable = {
  [M in keyof Api as Lowercase<M>]?: (call: Call) => Answer<Loose<ReturnType<Api[M]>>>;
} & {
  // Names that Telegram still takes.
  kickchatmember?: (call: Call) => true;
  getchatmemberscount?: (call: Call) => number;
};

/** A result that is already JSON. */
export class RawJson {
  readonly json: string;

  constructor(json: string) {
    this.json = json;
  }
}

/** A result with the `description` that Telegram adds to some successes. */
export class Described<T = unknown> {
  readonly result: T;
  readonly description: string;

  constructor(result: T, description: string) {
    this.result = result;
    this.description = description;
  }
}
