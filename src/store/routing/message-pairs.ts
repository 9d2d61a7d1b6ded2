import { effect, type Engine, type Step } from '../engine.ts';

/** A chat as one bot knows it. */
interface ChatKey {
  botId: number;
  /** The connection of a business account; '' in the bot's own chats. */
  connection: string;
  chatId: number;
}

/** One message as one bot knows it. */
export interface MessageKey extends ChatKey {
  messageId: number;
}

/** A message and its copy in another chat. */
export interface MessagePair extends MessageKey {
  peerBotId: number;
  peerConnection: string;
  peerChatId: number;
  peerMessageId: number;
  routeId: number;
  /**
   * How the copy shows its origin: forward or copy; header for the line that precedes it; desk for
   * a copy between a customer and the topic of a desk.
   */
  style: string;
  /** How many times the relay routed it on. */
  hops: number;
}

export interface MessagePairRepository {
  /** Returns all copies of this message, oldest first. */
  of(message: MessageKey): Promise<MessagePair[]>;
  /** Returns the newest pair of a chat that a route made. */
  latest(chat: ChatKey): Promise<MessagePair | undefined>;
}

const columns = `bot_id as "botId", connection, chat_id as "chatId", message_id as "messageId",
  peer_bot_id as "peerBotId", peer_connection as "peerConnection", peer_chat_id as "peerChatId",
  peer_message_id as "peerMessageId", route_id as "routeId", style, hops`;

export function createMessagePairRepository(engine: Engine): MessagePairRepository {
  return {
    of: ({ botId, connection, chatId, messageId }) =>
      engine.readRaw<MessagePair>(
        `select ${columns} from message_pairs
         where bot_id = $1 and chat_id = $2 and message_id = $3 and connection = $4
         order by created_at, peer_message_id`,
        [botId, chatId, messageId, connection],
      ),
    async latest({ botId, connection, chatId }) {
      const [pair] = await engine.readRaw<MessagePair>(
        `select ${columns} from message_pairs
         where bot_id = $1 and chat_id = $2 and connection = $3 and style <> 'desk'
         order by created_at desc, message_id desc limit 1`,
        [botId, chatId, connection],
      );
      return pair;
    },
  };
}

/** Stores a pair so that it is found from both ends. */
export function* addPair(pair: MessagePair, nowMs: number): Step<void> {
  const { routeId, style, hops } = pair;
  const here = [pair.botId, pair.connection, pair.chatId, pair.messageId];
  const there = [pair.peerBotId, pair.peerConnection, pair.peerChatId, pair.peerMessageId];
  for (const ends of [
    [...here, ...there],
    [...there, ...here],
  ]) {
    yield* effect(
      `insert into message_pairs (bot_id, connection, chat_id, message_id, peer_bot_id,
         peer_connection, peer_chat_id, peer_message_id, route_id, style, hops, created_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) on conflict do nothing`,
      [...ends, routeId, style, hops, nowMs],
    );
  }
}
