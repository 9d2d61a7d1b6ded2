import type { Audience } from '../../core/messages/broadcast.ts';
import type { DialectName } from '../engine.ts';
import { wordsOf } from '../sql/dialect.ts';
import type { Filter } from '../sql/filter.ts';

export interface Asked {
  botId: number;
  audience: Audience;
  nowMs: number;
}

const dayMs = 24 * 3_600_000;

/**
 * SQL: a chat that gets no broadcast. A mark made when Telegram refused a send is void once the
 * chat has a newer message, which then is from the person; who opted out stays so.
 */
export const excluded = `(c.member_status in ('kicked', 'left') or exists (
  select 1 from broadcast_marks m where m.bot_id = c.bot_id and m.chat_id = c.chat_id
    and (m.mark = 'opted_out' or m.at >= c.last_message_at)))`;

const someTopic = (is: string) =>
  `c.chat_id in (select t.chat_id from topics t where t.bot_id = ? and ${is})`;

/** Topics that are conversations count, too; each state names the bot once. */
const inStates = {
  waiting: `(c.unanswered_since > 0 or ${someTopic('t.unanswered_since > 0')})`,
  open: `(c.unanswered_since = 0 and c.is_done = 0
    or ${someTopic('t.unanswered_since = 0 and t.is_done = 0')})`,
  done: `(c.unanswered_since = 0 and c.is_done = 1
    and not ${someTopic('(t.unanswered_since > 0 or t.is_done = 0)')})`,
};

/** The conditions for the chats `c` of the audience, also those that get none. */
export function audienceFilters(dialect: DialectName, { botId, audience, nowMs }: Asked): Filter[] {
  const { isIn, list } = wordsOf[dialect];
  const { chat_types, languages, seen_within_days, states, tags } = audience;
  const someOf = (column: string, values: readonly string[]): Filter =>
    values.length > 0 && [isIn(column, '?', 'text'), list(values)];
  const seenSince = nowMs - seen_within_days * dayMs;
  const language = `lower(p.language_code)`;
  const tagged = someOf('t.tag', tags);
  const spoken = languages.map((one) => one.toLowerCase());
  return [
    ['c.bot_id = ?', botId],
    ['c.migrated_to = 0'],
    someOf('c.type', chat_types),
    tagged && [
      `exists (select 1 from tags t join tag_bots tb on tb.tag_id = t.id
         where t.chat_id = c.chat_id and tb.bot_id in (0, c.bot_id) and ${tagged[0]})`,
      ...tagged.slice(1),
    ],
    spoken.length > 0 && [
      `exists (select 1 from people p where p.user_id = c.chat_id
         and (${isIn(language, '?', 'text')} or ${isIn(`substr(${language}, 1, 2)`, '?', 'text')}))`,
      list(spoken),
      list(spoken),
    ],
    // The person may be a customer of other bots as well, so what they wrote to this one counts.
    seen_within_days > 0 && [
      `(c.last_message_at >= ? and (c.chat_id < 0 or exists (
         select 1 from messages m where m.bot_id = c.bot_id and m.chat_id = c.chat_id
           and m.user_id = c.chat_id and m.date >= ?)))`,
      seenSince,
      Math.floor(seenSince / 1000),
    ],
    states.length > 0 && [
      `(c.chat_id > 0 and (${states.map((state) => inStates[state]).join(' or ')}))`,
      ...states.map(() => botId),
    ],
  ];
}
