import { type Static, Type } from 'typebox';
import type { Stats, StatsService } from '../../../manage/stats/stats.ts';
import { ratings } from '../../../core/desks/rating-message.ts';
import { readAssignee } from '../../../manage/people/assignees.ts';
import { Assignee } from '../people/chat-schema.ts';
import { type Endpoint, get } from '../../endpoint.ts';
import { isoTime } from '../../../core/iso-time.ts';
import { Id, Integer, List, Moment, Optional, Query, Text } from '../../schemas.ts';

const hourMs = 3_600_000;

const counts = {
  received: Integer('Messages of people.', 12),
  sent: Integer('Messages of the bot.', 9),
  media: Integer('How many of both had media.', 3),
};

const Average = Type.Number({
  description: 'From 1 to 5; 0 if there are none.',
  examples: [4.6667],
});

export const StatsAnswer = Type.Object({
  bot_id: Type.Integer(),
  chat_id: Integer('0 for all chats of the bot; the supergroup if the chat became one.'),
  message_thread_id: Integer('The topic; 0 for all of the chat.', 0),
  from: Moment('Beginning of the range.'),
  to: Moment('End of the range.'),
  messages: Type.Object({
    total: Type.Integer(),
    ...counts,
    media_share: Type.Number({ description: 'From 0 to 1.', examples: [0.25] }),
  }),
  by_day: List(
    Type.Object({ day: Type.String({ examples: ['2026-01-31'] }), ...counts }),
    'Days (UTC) with messages.',
  ),
  by_hour: List(
    Type.Object({ hour: Moment('Its beginning.'), ...counts }),
    'The same by the hour, for ranges of at most 31 days.',
  ),
  by_hour_of_day: List(Type.Integer(), 'Messages at each hour of the day (UTC), 24 numbers.'),
  active_users: Integer('People who wrote, by whole days (UTC).'),
  top_people: List(
    Type.Object({
      user_id: Type.Integer(),
      username: Type.String(),
      first_name: Type.String(),
      last_name: Type.String(),
      messages: Type.Integer(),
    }),
    'People who wrote most.',
  ),
  by_topic: List(
    Type.Object({
      message_thread_id: Type.Integer({ description: '1 is General.', examples: [4] }),
      name: Text('Empty if not known.', 'Refunds'),
      ...counts,
    }),
    'The topics with most messages, if `chat_id` has topics and none is chosen.',
  ),
  responses: Type.Object({
    answers: Integer('How often a person who wrote in a private or business chat got an answer.'),
    median_seconds: Optional.Integer(
      'From the first unanswered message to the answer, accurate to 10 %. Messages of apps and backends are answers unless the bot has `automatic_answers: ignore`; broadcasts, questions and automatic replies are none. Absent if there were no answers.',
    ),
  }),
  deliveries: Type.Object(
    {
      delivered: Type.Integer(),
      failed: Integer('Attempts that failed.'),
      success_rate: Type.Number({ description: 'From 0 to 1; 1 if there were no attempts.' }),
      mean_duration_ms: Integer('Mean time of an attempt, delivered or failed.'),
      in_retry: Integer('Updates in retry queues right now.'),
      dead_letters: Integer('Dead letters in the range.'),
    },
    { description: "Deliveries to the bot's backend, of all chats." },
  ),
  ratings: Type.Object(
    {
      count: Integer('Ratings.', 3),
      average: Average,
      by_rating: List(Type.Integer(), 'How often 1 to 5 was given, 5 numbers.', [0, 0, 0, 1, 2]),
      by_assignee: List(
        Type.Object({
          assignee: Type.Optional(Assignee),
          count: Integer('Ratings.', 3),
          average: Average,
        }),
        'By the one who had the conversation when it was done, most ratings first.',
      ),
    },
    {
      description:
        'Ratings that customers gave when their conversation was done; none for a topic.',
    },
  ),
});

export function statsEndpoints({ stats }: { stats: StatsService }): Endpoint[] {
  return [
    get('Statistics', '/api/stats', {
      scope: 'read',
      chats: 'refused',
      summary: 'Get statistics of a bot or chat',
      description:
        'Hours that the range touches count in full. A supergroup includes the counts of the group it was before. Topics are counted from the stored messages, at most the newest 100,000 of the range.',
      query: Query({
        bot_id: Id('Bot ID.'),
        chat_id: Optional.ChatId('Only this chat.'),
        message_thread_id: Optional.TopicId('Only this topic; needs `chat_id`. 1 is General.'),
        from: Optional.Moment('Start of the range. Default: 30 days before the end.'),
        to: Optional.Moment('End of the range. Default: now.'),
      }),
      response: StatsAnswer,
      errors: ['bot_not_found', 'bot_not_allowed', 'management_disabled'],
      handler: async ({ caller, query }) => statsView(query.bot_id, await stats.of(caller, query)),
    }),
  ];
}

function statsView(botId: number, stats: Stats): Static<typeof StatsAnswer> {
  const sum = { received: 0, sent: 0, media: 0 };
  for (const { received, sent, media } of stats.days) {
    sum.received += received;
    sum.sent += sent;
    sum.media += media;
  }
  const total = sum.received + sum.sent;
  const { delivered, failed, duration_ms, in_retry, dead_letters } = stats.deliveries;
  const tried = delivered + failed;
  return {
    bot_id: botId,
    chat_id: stats.chatId,
    message_thread_id: stats.threadId,
    from: isoTime(stats.from),
    to: isoTime(stats.to),
    messages: { total, ...sum, media_share: total === 0 ? 0 : round(sum.media / total) },
    by_day: stats.days.map(({ day, ...counts }) => ({
      day: isoTime(day * 24 * hourMs).slice(0, 10),
      ...counts,
    })),
    by_hour: stats.hours.map(({ hour, ...counts }) => ({
      hour: isoTime(hour * hourMs),
      ...counts,
    })),
    by_hour_of_day: stats.hoursOfDay,
    active_users: stats.active,
    top_people: stats.top,
    by_topic: stats.topics,
    responses: {
      answers: stats.answers,
      ...(stats.medianSeconds === undefined ? {} : { median_seconds: stats.medianSeconds }),
    },
    deliveries: {
      delivered,
      failed,
      success_rate: tried === 0 ? 1 : round(delivered / tried),
      mean_duration_ms: tried === 0 ? 0 : Math.round(duration_ms / tried),
      in_retry,
      dead_letters,
    },
    ratings: ratingsView(stats.ratings),
  };
}

function ratingsView(counts: Stats['ratings']): Static<typeof StatsAnswer>['ratings'] {
  const byAssignee = [...Map.groupBy(counts, ({ assignee }) => assignee)]
    .map(([key, own]) => ({
      ...(key === '' ? {} : { assignee: readAssignee(key, own[0]?.name ?? '') }),
      ...sumOf(own),
    }))
    .sort((a, b) => b.count - a.count);
  return {
    ...sumOf(counts),
    by_rating: ratings.map((rating) => sumOf(counts.filter((one) => one.rating === rating)).count),
    by_assignee: byAssignee,
  };
}

function sumOf(counts: Stats['ratings']): { count: number; average: number } {
  const count = counts.reduce((sum, one) => sum + one.count, 0);
  const total = counts.reduce((sum, one) => sum + one.count * one.rating, 0);
  return { count, average: count === 0 ? 0 : round(total / count) };
}

function round(share: number): number {
  return Math.round(share * 10_000) / 10_000;
}
