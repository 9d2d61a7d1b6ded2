import { integer, list, object, text, type Wire } from '../log/wire.ts';

/** Describes a message that has neither text nor a file: who joined, what a poll asks. */
export interface MessageContent {
  /** Telegram's name for the content. */
  type: string;
  /** The people that the message is about. */
  names?: string[];
  /** Its title, question, value or the like. */
  text?: string;
}

const longest = 200;
const deepest = 64;

const nameOf = (value: unknown): string => {
  const person = object(value);
  const name = [text(person?.first_name), text(person?.last_name)].filter(Boolean).join(' ');
  return name || text(person?.username);
};

const people = (values: unknown[]) => ({ names: values.map(nameOf).filter(Boolean) });
// `text` removes the half of a character that the cut may leave.
const words = (value: unknown) => ({ text: text(text(value).slice(0, longest)) });
const field = (name: string) => (value: unknown) => words(object(value)?.[name]);
const none = () => ({});
const person = (name: string) => (value: unknown) => people([object(value)?.[name]]);
const community = (value: unknown) => words(object(object(value)?.community)?.name);

/** The order of checks: a venue, say, has a location as well. */
const readers: Record<string, (value: unknown) => Omit<MessageContent, 'type'>> = {
  poll: field('question'),
  venue: field('title'),
  location: (value) => {
    const location = object(value);
    return { text: `${Number(location?.latitude)}, ${Number(location?.longitude)}` };
  },
  contact: (value) => people([value]),
  dice: (value) => ({
    text: `${text(object(value)?.emoji)} ${integer(object(value)?.value) ?? ''}`,
  }),
  game: field('title'),
  story: none,
  checklist: field('title'),
  invoice: field('title'),
  paid_media: none,
  giveaway: none,
  giveaway_created: none,
  giveaway_winners: (value) => people(list(object(value)?.winners)),
  giveaway_completed: none,
  gift: field('text'),
  gift_upgrade_sent: field('text'),
  unique_gift: (value) => words(object(object(value)?.gift)?.base_name),
  successful_payment: none,
  refunded_payment: none,
  users_shared: (value) => people(list(object(value)?.users)),
  chat_shared: field('title'),
  write_access_allowed: none,
  new_chat_members: (value) => people(list(value)),
  left_chat_member: (value) => people([value]),
  new_chat_title: words,
  new_chat_photo: none,
  delete_chat_photo: none,
  group_chat_created: none,
  supergroup_chat_created: none,
  channel_chat_created: none,
  migrate_to_chat_id: none,
  migrate_from_chat_id: none,
  pinned_message: (value) => words(object(value)?.text || object(value)?.caption),
  message_auto_delete_timer_changed: none,
  forum_topic_created: field('name'),
  forum_topic_edited: field('name'),
  forum_topic_closed: none,
  forum_topic_reopened: none,
  general_forum_topic_hidden: none,
  general_forum_topic_unhidden: none,
  video_chat_scheduled: none,
  video_chat_started: none,
  video_chat_ended: none,
  video_chat_participants_invited: (value) => people(list(object(value)?.users)),
  boost_added: none,
  chat_background_set: none,
  chat_owner_left: person('new_owner'),
  chat_owner_changed: person('new_owner'),
  community_chat_added: community,
  community_chat_removed: community,
  community_chat_joined: community,
  managed_bot_created: person('bot'),
  checklist_tasks_done: none,
  checklist_tasks_added: (value) =>
    words(
      list(object(value)?.tasks)
        .map((task) => text(object(task)?.text))
        .join(', '),
    ),
  poll_option_added: field('option_text'),
  poll_option_deleted: field('option_text'),
  suggested_post_approved: none,
  suggested_post_approval_failed: none,
  suggested_post_declined: field('comment'),
  suggested_post_paid: none,
  suggested_post_refunded: none,
  direct_message_price_changed: none,
  paid_message_price_changed: none,
};
const types = Object.keys(readers);

/** What people send; the other kinds are service messages. */
const sent = new Set([
  'poll',
  'venue',
  'location',
  'contact',
  'dice',
  'game',
  'story',
  'checklist',
  'paid_media',
]);

/** Says whether a message with this stored data is a service message. */
export function isServiceContent(extra: string | null): boolean {
  const content = storedContent(extra);
  return content !== undefined && !sent.has(content.type);
}

/** True for what Telegram says itself, such as that somebody joined. */
export function isServiceMessage(message: Wire): boolean {
  const content = serviceContent(message);
  return content !== undefined && !sent.has(content.type);
}

export function serviceContent(message: Wire): MessageContent | undefined {
  // Most messages are text, and have nothing else to find.
  if (message.text !== undefined) return undefined;
  const type = types.find((name) => message[name] !== undefined);
  if (type === undefined) return undefined;
  const about = readers[type]?.(message[type]) ?? {};
  return {
    type,
    ...(about.names && about.names.length > 0 ? { names: about.names } : {}),
    ...(about.text ? { text: about.text } : {}),
  };
}

/** Reads the content from what is stored with a message. */
export function storedContent(extra: string | null): MessageContent | undefined {
  if (!extra?.includes('"content":')) return undefined;
  const { content, about } = JSON.parse(extra) as { content?: unknown; about?: object };
  return typeof content === 'string' ? { type: content, ...about } : undefined;
}

const wordFields = new Set([
  'text',
  'summary',
  'caption',
  'credit',
  'expression',
  'alternative_text',
]);

/** Returns the words of a rich message, one line per block. */
export function richWords(value: unknown): string {
  const blocks = list(object(value)?.blocks);
  return text(
    blocks
      .map((block) => plain(block).trim())
      .filter(Boolean)
      .join('\n'),
  );
}

function plain(value: unknown, level = 0): string {
  if (typeof value === 'string') return value;
  if (level > deepest) return '';
  if (Array.isArray(value)) return value.map((one) => plain(one, level + 1)).join('');
  const parts = Object.entries(object(value) ?? {}).map(([name, part]) => {
    if (typeof part === 'string') return wordFields.has(name) ? part : '';
    const isLine = name === 'blocks' || name === 'items' || name === 'cells';
    return isLine
      ? list(part)
          .map((one) => `\n${plain(one, level + 1)}`)
          .join('')
      : plain(part, level + 1);
  });
  return parts.join('');
}
