/* What filters of apps look at. */
import { integer, object, text, type Wire } from '../log/wire.ts';
import { splitWords } from '../search/words.ts';

/** What a filter looks at. */
export interface FilterFacts {
  kind: string;
  chatId: number | undefined;
  userId: number | undefined;
  chatType: string;
  /** The text, or the caption of media; of an inline query its words. */
  text: string;
  /** Of the text; split once for all filters that ask. */
  readonly words: readonly string[];
  /** Of a button that was pressed; undefined for other updates. */
  callbackData: string | undefined;
  /** Of the topic; 1 for General. Undefined outside of forums, and where the topic is not known. */
  threadId: number | undefined;
  /** Of a group that became a supergroup, where the update says so. */
  move?: { from: number; to: number } | undefined;
}

/** Of an update that was just parsed. Its words are split when a filter first asks for them. */
export class PayloadFacts implements FilterFacts {
  readonly kind: string;
  readonly chatId: number | undefined;
  readonly userId: number | undefined;
  readonly chatType: string;
  readonly text: string;
  readonly callbackData: string | undefined;
  readonly threadId: number | undefined;
  readonly move: FilterFacts['move'];
  #words: readonly string[] | undefined;

  constructor(kind: string, payload: Wire) {
    const message = object(payload.message) ?? payload;
    const chat = object(payload.chat) ?? object(message.chat);
    const user = object(payload.from) ?? object(payload.user);
    this.kind = kind;
    this.chatId = chat && integer(chat.id);
    this.userId = user && integer(user.id);
    this.chatType = text(chat?.type ?? payload.chat_type);
    this.text = text(payload.text) || text(payload.caption) || text(payload.query);
    this.callbackData = kind === 'callback_query' ? text(payload.data) : undefined;
    this.threadId = topicOf(kind, message);
    const from = integer(message.migrate_from_chat_id) ?? this.chatId;
    const to = integer(message.migrate_to_chat_id) ?? this.chatId;
    this.move = from && to && from !== to ? { from, to } : undefined;
  }

  get words(): readonly string[] {
    return (this.#words ??= splitWords(this.text));
  }
}

const generalTopic = 1;

/** Replies outside of forums have a thread as well, and messages in General have none. */
function topicOf(kind: string, message: Wire): number | undefined {
  if (message.is_topic_message === true) return integer(message.message_thread_id);
  if (!kind.endsWith('message') && kind !== 'callback_query') return undefined;
  // What the platform does not show any more has no date, and its topic is not known.
  return object(message.chat)?.is_forum === true && integer(message.date)
    ? generalTopic
    : undefined;
}

/** The same update, as if the chat had another id. */
export function inChat(facts: FilterFacts, chatId: number): FilterFacts {
  const { kind, userId, chatType, text, callbackData, threadId } = facts;
  return {
    kind,
    chatId,
    userId,
    chatType,
    text,
    callbackData,
    threadId,
    get words() {
      return facts.words;
    },
  };
}

/** Of an update as received. */
export function readFilterFacts({ kind, raw }: { kind: string; raw: string }): FilterFacts {
  return new PayloadFacts(kind, object(object(JSON.parse(raw))?.[kind]) ?? {});
}
