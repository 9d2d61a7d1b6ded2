/* Topics of forums and of private chats: how messages and answers name them, and how sends do. */
import { integer, object, text, type Wire } from '../log/wire.ts';

/** Facts about a topic; those left out stay as they are. */
export interface TopicFact {
  chatId: number;
  threadId: number;
  name?: string;
  iconColor?: number;
  /** '' removes the icon. */
  iconEmojiId?: string;
  isClosed?: boolean;
  isHidden?: boolean;
  /** The bot cannot write into it. */
  isGone?: true;
  /** This is how the topic began; later names and icons stay. */
  isFirst?: true;
}

/** The topic that every forum has. Its messages have no thread ID, and Telegram refuses this one. */
export const generalTopic = 1;

/** Replies outside of forums have a thread ID too, and messages in General have none. */
export function topicOf(message: Wire): number | undefined {
  if (message.is_topic_message === true) return integer(message.message_thread_id);
  // Messages that Telegram no longer shows have no date, and their topic is not known.
  return object(message.chat)?.is_forum === true && integer(message.date)
    ? generalTopic
    : undefined;
}

/** Returns the parameter that sends into a topic; 0 for none. */
export function topicParam(threadId: number): { message_thread_id?: number } {
  return threadId > generalTopic ? { message_thread_id: threadId } : {};
}

/**
 * Returns the message that another one replies to. In a topic, Telegram shows each message that is
 * no reply as a reply to the message that opened the topic.
 */
export function repliedIn(message: Wire): Wire | undefined {
  const replied = object(message.reply_to_message);
  return replied && replied.forum_topic_created === undefined ? replied : undefined;
}

/**
 * Reads what a message in a topic says about the topic: how it began, of which Telegram reminds in
 * each message, and what the message changes.
 */
export function topicFacts(message: Wire, chatId: number, threadId: number): TopicFact[] {
  const topic = { chatId, threadId };
  const opening = object(object(message.reply_to_message)?.forum_topic_created);
  const change = changeIn(message);
  return [
    ...(opening ? [{ ...topic, ...looksOf(opening), isFirst: true as const }] : []),
    ...(change ? [{ ...topic, ...change }] : []),
  ];
}

function changeIn(message: Wire): TopicChange | undefined {
  const created = object(message.forum_topic_created);
  if (created) return { ...looksOf(created), isClosed: false };
  const edited = object(message.forum_topic_edited);
  if (edited) return looksOf(edited);
  if (message.forum_topic_closed !== undefined) return { isClosed: true };
  if (message.forum_topic_reopened !== undefined) return { isClosed: false };
  if (message.general_forum_topic_hidden !== undefined) return { isHidden: true };
  if (message.general_forum_topic_unhidden !== undefined) return { isHidden: false };
  return undefined;
}

/** Reads what the answer to a call says about a topic; most methods are answered with `true`. */
export function answeredTopic(
  method: string,
  { chatId, threadId }: { chatId: number | undefined; threadId: number | undefined },
  params: Wire,
  result: unknown,
): TopicFact | undefined {
  if (chatId === undefined) return undefined;
  const name = method.toLowerCase();
  const created = name === 'createforumtopic' ? object(result) : undefined;
  const createdId = integer(created?.message_thread_id);
  if (created && createdId !== undefined) {
    return { chatId, threadId: createdId, ...looksOf(created), isClosed: false };
  }
  const change = result === true ? changesOfTopics[name] : undefined;
  const changed = name.includes('general') ? generalTopic : threadId;
  return change && changed !== undefined
    ? { chatId, threadId: changed, ...change(params) }
    : undefined;
}

type TopicChange = Omit<TopicFact, 'chatId' | 'threadId'>;

const changesOfTopics: Record<string, (params: Wire) => TopicChange> = {
  editforumtopic: looksOf,
  closeforumtopic: () => ({ isClosed: true }),
  reopenforumtopic: () => ({ isClosed: false }),
  deleteforumtopic: () => ({ isGone: true }),
  editgeneralforumtopic: looksOf,
  closegeneralforumtopic: () => ({ isClosed: true }),
  reopengeneralforumtopic: () => ({ isClosed: false, isHidden: false }),
  hidegeneralforumtopic: () => ({ isClosed: true, isHidden: true }),
  unhidegeneralforumtopic: () => ({ isHidden: false }),
};

/** Name and icon, as far as they are given; an empty icon removes it. */
function looksOf(given: Wire): TopicChange {
  const { name, icon_color: color, icon_custom_emoji_id: icon } = given;
  return {
    ...(text(name) === '' ? {} : { name: text(name) }),
    ...(integer(color) === undefined ? {} : { iconColor: integer(color) as number }),
    ...(typeof icon === 'string' ? { iconEmojiId: text(icon) } : {}),
  };
}
