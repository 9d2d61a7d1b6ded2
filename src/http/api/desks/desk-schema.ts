import { Type } from 'typebox';
import { deskDefaults, deskLanguages } from '../../../core/desks/desk.ts';
import { limits, maxId } from '../../../core/limits.ts';
import { linePattern } from '../../../core/people/plain-text.ts';
import {
  Body,
  Choice,
  ChatId,
  Closed,
  Detail,
  Flag,
  Id,
  Integer,
  List,
  Moment,
  Query,
  Text,
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

/** Settings in a request; with `hasDefaults`, those that may be left out say what they then are. */
export const givenDeskSettings = (hasDefaults: boolean) => ({
  name: Type.Optional(
    Text(nameText, 'Support', {
      minLength: 1,
      maxLength: limits.nameLength,
      pattern: linePattern,
      ...(hasDefaults ? { default: deskDefaults.name } : {}),
    }),
  ),
  language: Type.Optional(
    Choice(deskLanguages, {
      description: languageText,
      ...(hasDefaults ? { default: deskDefaults.language } : {}),
    }),
  ),
  desk_bot_id: Id(botText),
  chat_id: ChatId(chatText),
  bot_ids: botIds,
});

const shown = {
  id: Id('Desk ID.'),
  name: Text(nameText, 'Support'),
  language: Choice(deskLanguages, { description: languageText }),
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
      name: Type.Optional(
        Text('Name of the customer, if the relay does not know it.', 'Anna', {
          maxLength: limits.nameLength,
        }),
      ),
      banned: Type.Optional(Flag('Whether what the customer writes stays out of the forum.')),
      closed: Type.Optional(Flag('Whether the topic is closed until the customer writes.')),
    }),
    'The topics, each with its customer.',
    undefined,
    { minItems: 1, maxItems: 200 },
  ),
  dry_run: Type.Optional(
    Type.Boolean({ default: false, description: 'Only report what would happen.' }),
  ),
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
