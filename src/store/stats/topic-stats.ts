/*
 * Statistics of topics, read from the stored messages: few people ask for them, so messages are not
 * counted by topic when they are stored.
 */
import type { Engine } from '../engine.ts';
import { isAnswerSql } from './stats-turn.ts';
import {
  type Counts,
  type HourCount,
  type Hours,
  type StatsScope,
  type TopPerson,
  topPeople,
} from './stats.ts';

export interface TopicStats {
  hours: HourCount[];
  active: number;
  top: TopPerson[];
  answers: number;
  medianSeconds: number | undefined;
}

export interface TopicCount extends Counts {
  thread_id: number;
  /** Null if it is not known. */
  name: string | null;
}

export interface TopicStatsRepository {
  ofTopic(scope: StatsScope & { threadId: number }, hours: Hours): Promise<TopicStats>;
  /** Lists the topics of a chat with most messages. */
  topTopics(scope: StatsScope, hours: Hours): Promise<TopicCount[]>;
}

/** The newest messages of a range that count, so that no topic takes the reader for long. */
const mostMessages = 100_000;
const mostTopics = 10;

/** SQL: messages from $3 to $4; `condition` may use $5. */
const counted = (condition: string) => `(
  select user_id, date, id, thread_id, case when media_type is null then 0 else 1 end as media,
    case when origin = 'received' then 0 else 1 end as own,
    case when origin <> 'received' and ${isAnswerSql} then 1 else 0 end as answers
  from messages where bot_id = $1 and chat_id = $2 and date >= $3 and date < $4 and ${condition}
    and (media_type is null or media_type <> 'callback')
  order by date desc, id desc limit ${mostMessages}) as m`;
const counts = 'sum(1 - own) as received, sum(own) as sent, sum(media) as media';
const inTopic = counted('thread_id = $5');

const byHour = `select date / 3600 as hour, ${counts} from ${inTopic} group by date / 3600 order by 1`;
const byPerson = `select t.user_id, t.messages, t.active, coalesce(p.username, '') as username,
    coalesce(p.first_name, '') as first_name, coalesce(p.last_name, '') as last_name
  from (select user_id, count(*) as messages, count(*) over () as active from ${inTopic}
    where own = 0 and user_id <> 0 group by user_id
    order by messages desc, user_id limit ${topPeople}) as t
  left join people p on p.user_id = t.user_id order by t.messages desc, t.user_id`;
// A turn ends with an answer; its answer time counts from the first message in it.
const median = `select answers, seconds from (
    select seconds, count(*) over () as answers, row_number() over (order by seconds) as place
    from (select max(case when answers = 1 then date end) - min(case when own = 0 then date end) as seconds
      from (select date, own, answers, coalesce(sum(answers) over (
          order by date, id rows between unbounded preceding and 1 preceding), 0) as turn
        from ${inTopic}) as turns
      group by turn) as waits
    where seconds >= 0) as placed
  where place = (answers + 1) / 2`;
const byTopic = `select c.thread_id, c.received, c.sent, c.media, t.name
  from (select thread_id, ${counts} from ${counted('thread_id is not null')}
    group by thread_id order by count(*) desc, thread_id limit ${mostTopics}) as c
  left join topics t on t.bot_id = $1 and t.chat_id = $2 and t.thread_id = c.thread_id
  order by c.received + c.sent desc, c.thread_id`;

export function createTopicStatsRepository(engine: Engine): TopicStatsRepository {
  const within = ({ botId, chatId }: StatsScope, [from, to]: Hours) => [
    botId,
    chatId,
    from * 3_600,
    to * 3_600,
  ];
  return {
    async ofTopic({ threadId, ...scope }, range) {
      const parameters = [...within(scope, range), threadId];
      const [hours, people, [answered]] = await Promise.all([
        engine.readHeavy<HourCount>(byHour, parameters),
        engine.readHeavy<TopPerson & { active: number }>(byPerson, parameters),
        // Only private chats are conversations.
        scope.chatId > 0
          ? engine.readHeavy<{ answers: number; seconds: number }>(median, parameters)
          : [],
      ]);
      return {
        hours,
        active: people[0]?.active ?? 0,
        top: people.map(({ user_id, username, first_name, last_name, messages }) => ({
          user_id,
          username,
          first_name,
          last_name,
          messages,
        })),
        answers: answered?.answers ?? 0,
        medianSeconds: answered?.seconds,
      };
    },
    topTopics: (scope, range) => engine.readHeavy<TopicCount>(byTopic, within(scope, range)),
  };
}
