import type { Upload } from '../world/files.ts';
import type { BotRecord } from '../world/records.ts';
import type { World } from '../world/world.ts';
import type { Params } from './params.ts';

/** What the update side of a bot can be asked for by its methods. */
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
  /** Where `https://…` media comes from; without it such media is refused. */
  fetchUrl?: ((url: string) => Promise<Upload>) | undefined;
  strictWebhookUrls: boolean;
  signal?: AbortSignal | undefined;
}

export type Method = (call: Call) => unknown;
export type MethodTable = Record<string, Method>;

/** A result that is already JSON. */
export class RawJson {
  readonly json: string;

  constructor(json: string) {
    this.json = json;
  }
}

/** A result with the `description` that Telegram adds to some successes. */
export class Described {
  readonly result: unknown;
  readonly description: string;

  constructor(result: unknown, description: string) {
    this.result = result;
    this.description = description;
  }
}
