import { Type } from 'typebox';
import {
  callbackStates,
  questionLimits,
  questionStates,
} from '../../../core/questions/question.ts';
import { limits } from '../../../core/limits.ts';
import { MessageAuthor } from '../messages/message-schema.ts';
import {
  addressPattern,
  Body,
  ChatId,
  Choice,
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

const { least, length, most } = questionLimits.options;

const option = Type.String({ minLength: 1, maxLength: length, pattern: '\\S' });

export const AskBody = Body({
  bot_id: Id('Bot that asks.'),
  chat_id: ChatId('Chat to ask in.'),
  message_thread_id: Optional.TopicId('Topic of the chat.'),
  text: Text('The question, as plain text.', 'Refund order 4711?', {
    minLength: 1,
    maxLength: limits.messageLength,
    pattern: '\\S',
  }),
  options: Optional.List(
    option,
    'Answers to choose from, as buttons. Left out: a free answer, which is a reply to the question, or in a private chat the next message, if no other question waits for one.',
    ['Approve', 'Reject'],
    { minItems: least, maxItems: most, uniqueItems: true },
  ),
  user_ids: Optional.List(
    UserId('A person.'),
    'The only people who may answer. Left out: everybody in the chat.',
    [5001],
    { minItems: 1, maxItems: questionLimits.userIds, uniqueItems: true },
  ),
  expires_at: Optional.Moment('When it expires: at most 30 days ahead. Default: in 24 hours.'),
  callback_url: Optional.Text(
    'Called when the question ends, signed with the `secret_token` of the bot, which needs one. Allowed are the addresses that RELAY_BACKENDS allows.',
    'https://example.com/answers',
    { maxLength: limits.backendUrlLength, pattern: addressPattern },
  ),
});

export const AskHeaders = Type.Object({
  'idempotency-key': Optional.Text(
    'Within 24 hours, requests with the same key ask once and return the same question. The same key with another body is refused.',
    'deploy-4711',
    { minLength: 1, maxLength: limits.idempotencyKeyLength },
  ),
});

export const QuestionQuery = Query({
  id: Id('The question.'),
  timeout: Optional.Integer('Seconds to wait for the end, from 0 to 50. Default: 0.', 50, {
    minimum: 0,
    maximum: 50,
  }),
});

export const QuestionListQuery = Query({
  bot_id: Optional.Id('Only questions of this bot.'),
  chat_id: Optional.ChatId('Only questions in this chat.'),
  state: Optional.Choice(questionStates, { description: 'Only questions in this state.' }),
  before_id: Optional.Id('Only questions before this one, for paging.'),
  limit: Optional.Integer('At most this many.', undefined, {
    minimum: 1,
    maximum: 200,
    default: 50,
  }),
});

export const QuestionAnswer = Type.Object({
  id: Integer('Question ID.', 1),
  bot_id: Integer('The bot that asks.', 1),
  chat_id: Integer('The chat.', -1001234567890),
  message_thread_id: Optional.TopicId('The topic.'),
  message_id: Integer('The message; 0 if it is not sent yet.', 7),
  text: Text('The question.', 'Refund order 4711?'),
  options: List(Type.String(), 'The buttons; none for a free answer.', ['Approve', 'Reject']),
  user_ids: List(Type.Integer(), 'The only people who may answer; empty for everybody.', [5001]),
  state: Choice(questionStates, { examples: ['answered'] }),
  send_state: Text(
    'State of the message: queued, sending, sent, failed, or unknown if the outcome of the send is not known.',
    'sent',
  ),
  send_error: Text('Why it was not sent; empty otherwise.', ''),
  send_error_detail: Detail('send_error'),
  answer: Text('The text of the option or of the reply; empty if there is none.', 'Approve'),
  answered_by: Integer('Telegram user ID; 0 if nobody answered.', 5001),
  answered_by_name: Text('Their name.', 'Ann Lee'),
  answered_at: Moment('When it was answered.'),
  asked_by: MessageAuthor,
  created_at: Moment('When it was asked.'),
  expires_at: Moment('When it expires.'),
  ended_at: Moment('When it was answered or cancelled, or expired.'),
  callback_state: Choice(callbackStates, {
    description:
      'The call of callback_url: waiting, delivered, or failed after all retries; empty if none is due.',
    examples: ['delivered'],
  }),
  callback_error: Text('Why the last call failed.', ''),
});
