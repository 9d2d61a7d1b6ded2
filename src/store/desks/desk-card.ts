import { isoTime } from '../../core/iso-time.ts';
import { type Reason, reason } from '../../core/reasons/reason.ts';
import { raw, type Step } from '../engine.ts';

interface CustomerRow {
  bot_id: number;
  chat_id: number;
  bot: string;
  name: string;
  username: string | null;
  language_code: string | null;
  created_at: number;
}

/** What is known of a customer. */
export function* cardOf(topicId: number): Step<Reason> {
  const [customer] = yield* raw<CustomerRow>(
    `select t.bot_id, t.chat_id, b.name as bot, t.name, p.username, p.language_code, t.created_at
     from desk_topics t join bots b on b.id = t.bot_id left join people p on p.user_id = t.chat_id
     where t.id = $1`,
    [topicId],
  );
  if (!customer) return reason('desk_event');
  const { bot_id, chat_id } = customer;
  const others = yield* raw<{ name: string }>(
    `select b.name from desk_bots d join bots b on b.id = d.bot_id
       join desk_topics t on t.bot_id = d.bot_id and t.chat_id = $1
     where d.desk_id = (select desk_id from desk_topics where id = $3) and d.bot_id <> $2
     order by b.id limit 10`,
    [chat_id, bot_id, topicId],
  );
  const notes = yield* raw<{ text: string }>(
    'select text from notes where bot_id = $1 and user_id = $2 order by id desc limit 3',
    [bot_id, chat_id],
  );
  return reason('desk_card', {
    name: customer.name,
    username: customer.username ?? '',
    language: customer.language_code ?? '',
    bot: customer.bot,
    since: isoTime(customer.created_at).slice(0, 10),
    others: others.map(({ name }) => name),
    notes: notes.map(({ text: note }) => note.slice(0, 500)),
  });
}
