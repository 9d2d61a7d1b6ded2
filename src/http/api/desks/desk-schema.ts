import { Type } from 'typebox';
import { deskDefaults, deskLanguages, type LocalText } from '../../../core/desks/desk-options.ts';
import { weekdays, type WorkingHours } from '../../../core/desks/working-hours.ts';
import { limits, maxId, timePattern } from '../../../core/limits.ts';
import { linePattern } from '../../../core/people/plain-text.ts';
import {
  Body,
  ChatId,
  Choice,
  Closed,
  Detail,
  Id,
  Integer,
  List,
  Moment,
  Optional,
  Query,
  Text,
  UserId,
} from '../../schemas.ts';

const nameText = 'Name of the desk, for the team.';
const languageText =
  'The language in which the desk talks to the team in the topics. Customers get none of it.';
const botText = 'The bot that writes in the forum. Customers need not know it.';
const chatText = 'The forum of the team: a group with topics.';
const botsText = 'Bots whose customers come to the desk. A bot has at most one desk.';

const botIds = List(Id('A bot.'), botsText, [2, 3], {
  minItems: 1,
  maxItems: 1_000,
  uniqueItems: true,
});

const problems = List(
  Closed({
    problem: Text('What is missing, and what to do.', 'Give the desk bot can_manage_topics.'),
    problem_detail: Detail('problem'),
  }),
  'What the desk bot lacked in the forum at the last check; empty if nothing.',
);

const Time = (description: string, example: string) =>
  Text(description, example, { pattern: timePattern });
const Hours = Closed({
  timezone: Text('IANA time zone.', 'Europe/Berlin', { maxLength: 64 }),
  times: List(
    Closed({
      days: List(
        Choice(weekdays, { description: 'A day of the week.' }),
        'Days of the start.',
        ['mon'],
        {
          minItems: 1,
          maxItems: 7,
          uniqueItems: true,
        },
      ),
      start: Time('Start, by the wall clock.', '09:00'),
      end: Time('End; if it is not after the start, it is on the next day.', '18:00'),
    }),
    'When the team answers.',
    [],
    { maxItems: 50 },
  ),
});
const HoursOrNull = Type.Unsafe<WorkingHours | null>({
  anyOf: [Hours, { type: 'null' }],
  description: 'When the team answers; null for always.',
});
export const DeskReply = Closed({
  language: Text('A language tag such as ru; empty for all other languages.', 'ru', {
    pattern: '^([A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*)?$',
  }),
  text: Text('The text.', 'We answer tomorrow.', { minLength: 1, maxLength: 4_096 }),
});
const Texts = (description: string, more: object) =>
  Type.Unsafe<readonly LocalText[]>(
    List(
      DeskReply,
      `${description} Telegram tells the language of the customer; without a text in it, the one without a language is used, otherwise the first.`,
      [],
      { maxItems: 50, ...more },
    ),
  );

/** Whether a request adds a desk, so that an omitted setting has its default. */
const optionFields = (adds: boolean) => {
  const byDefault = (name: keyof typeof deskDefaults) =>
    adds ? { default: deskDefaults[name] } : {};
  return {
    name: Text(nameText, 'Support', {
      minLength: 1,
      maxLength: limits.nameLength,
      pattern: linePattern,
      ...byDefault('name'),
    }),
    language: Choice(deskLanguages, {
      description: languageText,
      ...(adds ? { default: deskDefaults.language } : {}),
    }),
    person_ids: List(
      UserId('A Telegram user.'),
      'Telegram users who may use the commands in topics, besides administrators of the forum.',
      [111111111],
      { maxItems: 1_000, uniqueItems: true, ...byDefault('person_ids') },
    ),
    unanswered_minutes: Integer(
      'An alert opens if a customer waits longer for an answer, within the working hours; 0 for none.',
      30,
      { minimum: 0, maximum: 10_080, ...byDefault('unanswered_minutes') },
    ),
    working_hours: HoursOrNull,
    away_replies: Texts(
      'Sent to a customer who writes outside the working hours, once until they begin again; [] for none.',
      byDefault('away_replies'),
    ),
    ban_replies: Texts(
      'Sent once to a customer whom /ban banned; [] for none.',
      byDefault('ban_replies'),
    ),
    rating_questions: Texts(
      'Asked with five buttons when a conversation is done, at most once in 12 hours; [] for no question. Banned customers are not asked.',
      byDefault('rating_questions'),
    ),
  };
};

/** Settings in a request; with `hasDefaults`, those that may be left out say what they then are. */
export const givenDeskSettings = (hasDefaults: boolean) => ({
  ...Type.Partial(Type.Object(optionFields(hasDefaults))).properties,
  desk_bot_id: Id(botText),
  chat_id: ChatId(chatText),
  bot_ids: botIds,
});

const shown = {
  id: Id('Desk ID.'),
  ...optionFields(false),
  desk_bot_id: Id(botText),
  chat_id: ChatId(chatText),
  bot_ids: List(Type.Integer(), `${botsText} Only those that the key may see.`, [2, 3]),
  waiting_customers: Integer('Customers whose messages wait, because of the problem.', 0),
  problem: Text('Why messages do not reach the forum; empty if they do.'),
  problem_detail: Detail('problem'),
  problems,
  checked_at: Moment(
    'When Telegram was last asked about the rights of the desk bot; empty if never. Happens every hour, and every minute while something is missing.',
  ),
  rating_count: Integer('Ratings of customers in the last 30 days.', 12),
  rating_average: Type.Number({
    description: 'Their average, from 1 to 5; 0 if there are none.',
    examples: [4.67],
  }),
  created_at: Moment('When it was added.'),
  updated_at: Moment('When its settings changed.'),
};

export const DeskSchema = Closed(shown);
export const ChangedDeskSchema = Closed({
  ...shown,
  changed_bot_ids: List(
    Type.Integer(),
    'Bots whose settings changed: `manage_enabled` was turned on, or `automatic_answers` became ignore, so that only people answer.',
    [2],
  ),
});
export const DeskCheck = Closed({ problems });

export const AddDeskBody = Body(givenDeskSettings(true));
const { chat_id: _forum, ...updatable } = givenDeskSettings(false);
export const UpdateDeskBody = Body(
  { ...Type.Partial(Type.Object(updatable)).properties, id: Id('Desk ID.') },
  [
    'chat_id',
    'waiting_customers',
    'problem',
    'problem_detail',
    'problems',
    'checked_at',
    'rating_count',
    'rating_average',
    'changed_bot_ids',
    'created_at',
    'updated_at',
  ],
);
const threadId = Integer('The topic in the forum.', 42, { minimum: 2, maximum: maxId });

export const ImportTopicsBody = Body({
  id: Id('Desk ID.'),
  bot_id: Id('The bot to which these customers write.'),
  topics: List(
    Body({
      user_id: Id('The customer, by the ID in Telegram.'),
      message_thread_id: threadId,
      name: Optional.Text('Name of the customer, if the relay does not know it.', 'Anna', {
        maxLength: limits.nameLength,
      }),
      banned: Optional.Flag('Whether what the customer writes stays out of the forum.'),
      closed: Optional.Flag('Whether the topic is closed until the customer writes.'),
    }),
    'The topics, each with its customer.',
    undefined,
    { minItems: 1, maxItems: 200 },
  ),
  dry_run: Optional.Flag('Only report what would happen.', undefined, { default: false }),
});

export const ImportedTopics = Closed({
  added: Integer('Topics that are connected with their customer.', 1),
  known: Integer('Topics that were so before.', 0),
  conflicts: List(
    Closed({
      user_id: Integer('The customer.', 77),
      message_thread_id: Integer('The topic.', 42),
      problem: Text('Why they are not connected.', 'The customer has topic 40, which stays.'),
      problem_detail: Detail('problem'),
    }),
    'What was left as it is.',
  ),
});

export const DeskQuery = Query({ id: Id('Desk ID.') });
