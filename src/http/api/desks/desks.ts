import { type Static, Type } from 'typebox';
import { isoTime } from '../../../core/iso-time.ts';
import type { Reason } from '../../../core/reasons/reason.ts';
import { readReason } from '../../../core/reasons/stored.ts';
import { stateOf } from '../../../manage/access/audit-subjects.ts';
import type {
  ChangedDesk,
  DeskService,
  DeskView,
  TopicOutcome,
} from '../../../manage/desks/desks.ts';
import { optionsOf } from '../../../core/desks/desk-options.ts';
import { type Endpoint, get, post } from '../../endpoint.ts';
import {
  AddDeskBody,
  ChangedDeskSchema,
  DeskCheck,
  DeskQuery,
  DeskSchema,
  ImportedTopics,
  ImportTopicsBody,
  UpdateDeskBody,
} from './desk-schema.ts';

const managed = { scope: 'manage' } as const;

export function deskEndpoints({ desks }: { desks: DeskService }): Endpoint[] {
  return [
    get('Desks', '/api/desks', {
      scope: 'read',
      chats: 'refused',
      summary: 'List desks',
      description: 'Support desks whose desk bot the key may see.',
      response: Type.Array(DeskSchema),
      handler: async ({ caller }) => (await desks.list(caller)).map(view),
    }),
    post('Desks', '/api/desks/add', {
      ...managed,
      audit: {},
      summary: 'Add a desk',
      description:
        'From now on, each customer who writes to one of the bots has a topic in the forum, and what the team writes there goes to the customer. Needs a key for all the bots.',
      body: AddDeskBody,
      response: ChangedDeskSchema,
      errors: ['bot_not_found', 'bot_not_allowed', 'conflict'],
      handler: async ({ caller, body }) => changedView(await desks.add(caller, body)),
    }),
    post('Desks', '/api/desks/update', {
      ...managed,
      audit: { before: stateOf.desk },
      summary: 'Update a desk',
      description:
        'Omitted fields keep their value. The forum stays. A bot that leaves the desk keeps its topics in Telegram, but they are no longer connected.',
      body: UpdateDeskBody,
      response: ChangedDeskSchema,
      errors: ['not_found', 'bot_not_found', 'bot_not_allowed', 'conflict'],
      handler: async ({ caller, body: { id, ...settings } }) =>
        changedView(await desks.update(caller, id, settings)),
    }),
    post('Desks', '/api/desks/delete', {
      ...managed,
      audit: { before: stateOf.desk, removes: true },
      summary: 'Delete a desk',
      description:
        'Topics and messages stay in Telegram, and settings of the bots as they are. Returns the deleted desk.',
      query: DeskQuery,
      response: DeskSchema,
      errors: ['not_found', 'bot_not_allowed'],
      handler: async ({ caller, query }) => view(await desks.delete(caller, query.id)),
    }),
    post('Desks', '/api/desks/import-topics', {
      ...managed,
      audit: {
        unless: ({ dry_run: dryRun }) => dryRun === true,
        input: ({ topics, ...rest }) => ({ ...rest, topics: (topics as unknown[]).length }),
      },
      summary: 'Import topics of customers',
      description:
        'Connects customers of a bot with topics that another support bot made in the same forum, so that both sides go on in them. Customers who have another topic, and topics of other customers, stay as they are and are returned as conflicts. `bot-relay desks import` reads the topics from the database of that bot.',
      body: ImportTopicsBody,
      response: ImportedTopics,
      errors: ['not_found', 'bot_not_allowed'],
      async handler({ caller, body }) {
        const topics = body.topics.map((topic) => ({
          userId: topic.user_id,
          threadId: topic.message_thread_id,
          name: topic.name ?? '',
          banned: topic.banned ?? false,
          closed: topic.closed ?? false,
        }));
        const { bot_id: botId, dry_run: dryRun = false, id } = body;
        const outcomes = await desks.importTopics(caller, { id, botId, topics, dryRun });
        return importedView(body.topics, outcomes);
      },
    }),
    post('Desks', '/api/desks/check', {
      ...managed,
      audit: 'none',
      summary: 'Check a desk',
      description:
        'Asks Telegram whether the desk bot has its rights in the forum. If nothing is missing, messages that waited are sent at once.',
      query: DeskQuery,
      response: DeskCheck,
      errors: ['not_found', 'bot_not_allowed'],
      handler: async ({ caller, query }) => ({
        problems: (await desks.check(caller, query.id)).map(problemOf),
      }),
    }),
  ];
}

function view(desk: DeskView): Static<typeof DeskSchema> {
  return {
    id: desk.id,
    ...optionsOf(desk),
    person_ids: [...desk.person_ids],
    desk_bot_id: desk.desk_bot_id,
    chat_id: desk.chat_id,
    bot_ids: [...desk.bot_ids],
    waiting_customers: desk.waiting,
    problem: readReason(desk.problem).text,
    problem_detail: desk.problem,
    problems: desk.problems.map(problemOf),
    checked_at: isoTime(desk.checked_at),
    rating_count: desk.ratings.count,
    rating_average: average(desk.ratings),
    created_at: isoTime(desk.created_at),
    updated_at: isoTime(desk.updated_at),
  };
}

const average = ({ count, sum }: DeskView['ratings']) =>
  count === 0 ? 0 : Math.round((sum / count) * 100) / 100;

const changedView = ({ desk, changedBotIds }: ChangedDesk) => ({
  ...view(desk),
  changed_bot_ids: changedBotIds,
});

function importedView(
  topics: readonly { user_id: number; message_thread_id: number }[],
  outcomes: readonly TopicOutcome[],
): Static<typeof ImportedTopics> {
  const conflicts = outcomes.flatMap((outcome, at) => {
    const topic = topics[at];
    if (typeof outcome === 'string' || !topic) return [];
    const { message_thread_id, user_id } = topic;
    return [{ user_id, message_thread_id, ...problemOf(outcome.conflict) }];
  });
  const count = (wanted: TopicOutcome) => outcomes.filter((outcome) => outcome === wanted).length;
  return { added: count('added'), known: count('known'), conflicts };
}

const problemOf = (why: Reason) => ({ problem: readReason(why).text, problem_detail: why });
