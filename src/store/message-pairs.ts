import { type Engine, raw, type Step } from './engine.ts';

/** One message and the one that stands for it elsewhere. */
export interface MessagePair {
  botId: number;
  chatId: number;
  messageId: number;
  peerBotId: number;
  peerChatId: number;
  peerMessageId: number;
  routeId: number;
  /** How the carried one shows its origin: forward or copy. */
  style: string;
  /** How many times the relay carried it on. */
  hops: number;
}

export interface MessagePairs {
  /** Everything that stands for this message. */
  of(botId: number, chatId: number, messageId: number): Promise<MessagePair[]>;
  /** The newest pair of a chat. */
  latest(botId: number, chatId: number): Promise<MessagePair | undefined>;
}

const columns = `bot_id as "botId", chat_id as "chatId", message_id as "messageId",
  peer_bot_id as "peerBotId", peer_chat_id as "peerChatId", peer_message_id as "peerMessageId",
  route_id as "routeId", style, hops`;

export function createMessagePairs(engine: Engine): MessagePairs {
  return {
    of: (botId, chatId, messageId) =>
      engine.readRaw<MessagePair>(
        `select ${columns} from message_pairs
         where bot_id = $1 and chat_id = $2 and message_id = $3 order by created_at`,
        [botId, chatId, messageId],
      ),
    async latest(botId, chatId) {
      const [pair] = await engine.readRaw<MessagePair>(
        `select ${columns} from message_pairs where bot_id = $1 and chat_id = $2
         order by created_at desc, message_id desc limit 1`,
        [botId, chatId],
      );
      return pair;
    },
  };
}

/** Stores a pair so that it is found from both ends. */
export function* addPair(pair: MessagePair, nowMs: number): Step<void> {
  const { routeId, style, hops } = pair;
  const here = [pair.botId, pair.chatId, pair.messageId];
  const there = [pair.peerBotId, pair.peerChatId, pair.peerMessageId];
  for (const ends of [
    [...here, ...there],
    [...there, ...here],
  ]) {
    yield* raw(
      `insert into message_pairs (bot_id, chat_id, message_id, peer_bot_id, peer_chat_id,
         peer_message_id, route_id, style, hops, created_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
       on conflict (bot_id, chat_id, message_id, peer_bot_id, peer_chat_id) do nothing`,
      [...ends, routeId, style, hops, nowMs],
    );
  }
}
