import { integer, object, text, type Wire } from '../log/wire.ts';
import { topicOf } from '../messages/topics.ts';
import { splitWords } from '../search/words.ts';

/** The facts about an update that filters of apps test. */
export interface FilterFacts {
  kind: string;
  chatId: number | undefined;
  userId: number | undefined;
  chatType: string;
  /** The text, the caption of media, or the words of an inline query. */
  text: string;
  /** The words of the text, split once for all filters that need them. */
  readonly words: readonly string[];
  /** The data of the pressed button; undefined for other updates. */
  callbackData: string | undefined;
  /** The ID of the topic; 1 for General. Undefined outside of forums, and if the topic is not known. */
  threadId: number | undefined;
  /** Set if the update says that a group became a supergroup. */
  move?: { from: number; to: number } | undefined;
}

/** The facts of an update that was just parsed. Its words are split when a filter first asks for them. */
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
    this.threadId = topicOfUpdate(kind, message);
    const from = integer(message.migrate_from_chat_id) ?? this.chatId;
    const to = integer(message.migrate_to_chat_id) ?? this.chatId;
    this.move = from && to && from !== to ? { from, to } : undefined;
  }

  get words(): readonly string[] {
    return (this.#words ??= splitWords(this.text));
  }
}

function topicOfUpdate(kind: string, message: Wire): number | undefined {
  // A stop names the topic of the draft, and is no message.
  if (kind === 'stopped_message_generation') return integer(message.message_thread_id);
  const mayBeInGeneral = kind.endsWith('message') || kind === 'callback_query';
  return message.is_topic_message === true || mayBeInGeneral ? topicOf(message) : undefined;
}

/** Returns the facts of the same update as if its chat had another ID. */
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

/** Reads the facts from an update as received. */
export function readFilterFacts({ kind, raw }: { kind: string; raw: string }): FilterFacts {
  return new PayloadFacts(kind, object(object(JSON.parse(raw))?.[kind]) ?? {});
}
