import type { ListedState } from '../../core/people/conversation-states.ts';
import type { DialectName } from '../engine.ts';
import { wordsOf } from '../sql/dialect.ts';
import { type Filter, ofBots, ofChats } from '../sql/filter.ts';
import type { ChatFilter, ListPart } from './chat-record.ts';
import { everyBot } from './tags.ts';
import { ofTopicBots } from './topic-conversations.ts';

/** Which chats and topics are listed or counted. */
export type EntryFilter = Omit<ChatFilter, 'order' | 'after'>;

const ofManaged = 'bot_id in (select id from bots where manage_enabled = 1)';

export function entriesOf(dialect: DialectName, part: ListPart, wanted: EntryFilter): Filter[] {
  const { assignee, botIds, chatIds, now, state, tag, tagBots = null, threadId } = wanted;
  return [
    ofBots(dialect, botIds),
    ofChats(dialect, chatIds),
    [part === 'topics' ? ofTopicBots() : ofManaged],
    threadId !== undefined && ['thread_id = ?', threadId],
    state && inState(state, now),
    assignee !== undefined && ['assignee = ? and chat_id > 0', assignee],
    tag !== undefined && tagged(dialect, part, tag, tagBots),
  ];
}

function inState(state: ListedState, nowMs: number): Filter {
  if (state === 'waiting') return ['unanswered_since > 0 and snoozed_until <= ?', nowMs];
  if (state === 'snoozed') return ['unanswered_since > 0 and snoozed_until > ?', nowMs];
  if (state === 'unfinished') return ['(unanswered_since > 0 or is_done = 0) and chat_id > 0'];
  if (state === 'open') return ['is_done = 0 and unanswered_since = 0'];
  return ['is_done = 1 and unanswered_since = 0 and chat_id > 0'];
}

function tagged(
  dialect: DialectName,
  part: ListPart,
  tag: string,
  botIds: readonly number[] | null,
): Filter {
  const { isIn, list } = wordsOf[dialect];
  const visible =
    botIds === null
      ? ''
      : `and t.id in (select tag_id from tag_bots b where ${isIn('b.bot_id', '?')})`;
  const text = `exists (select 1 from tags t where t.chat_id = ${part}.chat_id and t.tag = ? ${visible})`;
  return botIds === null ? [text, tag] : [text, tag, list([everyBot, ...botIds])];
}
