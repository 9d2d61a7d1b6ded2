import type { RequestListener } from 'node:http';

/** Where a bot library is pointed at. */
export interface Address {
  /** Without a trailing slash. */
  apiRoot: string;
  token: string;
}

export interface Running {
  stop(): Promise<void>;
}

/**
 * The same small bot, written with one library as its manual says:
 * `/start` greets with two buttons; pressing one answers and edits; a photo comes back as a
 * document with the same bytes; "edit me" sends and edits; "fail" reports the library's own error;
 * "slow down" reports a 429; an edited message is repeated; any other text is echoed.
 */
export interface LibraryBot {
  name: string;
  poll(address: Address): Promise<Running>;
  webhook(
    address: Address,
    hook: { url: string; secret: string },
  ): Promise<Running & { listener: RequestListener }>;
}

/**
 * A small bot for topics, written with one library as its manual says: `/topic <name>` creates a
 * topic and welcomes there; a new topic of a person is greeted; "close" closes the topic, and reports the
 * library's own error; any other text in a topic is echoed there.
 */
export interface TopicBot {
  name: string;
  poll(address: Address): Promise<Running>;
}

export const nobody = 1;

export async function download(url: string): Promise<Buffer> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`download failed: ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}
