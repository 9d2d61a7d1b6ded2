import type { Message, Poll, PollOption } from '@grammyjs/types';
import { badRequest } from '../../api-error.ts';
import { checkEntities } from '../../text/check-entities.ts';
import { formatText } from '../../text/format.ts';
import { messageEdited } from '../../world/messages/messages.ts';
import { closePoll, keepPoll, pollObject, schedulePollClose } from '../../world/messages/polls.ts';
import type { PollRecord } from '../../world/records.ts';
import { nextLongId } from '../../world/world.ts';
import type { Call, MethodTable } from '../call.ts';
import { asNumber, asText } from '../params.ts';
import { readMarkup } from './reply-markup.ts';
import { openEnvelope, post, readEntities, show } from '../send.ts';
import { messageOf, roomOf } from '../target.ts';

function readOptions(call: Call): PollOption[] {
  const given = call.params.json('options');
  if (given === undefined) throw badRequest("can't parse options JSON object");
  if (!Array.isArray(given)) throw badRequest('expected an Array of String as options');
  if (given.length < 1) throw badRequest('poll must have at least 1 answer option');
  if (given.length > 12) throw badRequest("poll can't have more than 12 options");
  return given.map((option: unknown, index): PollOption => {
    if (option === null || (typeof option !== 'string' && typeof option !== 'object')) {
      throw badRequest('expected an option to be of type String');
    }
    const source = (typeof option === 'string' ? { text: option } : option) as {
      text?: unknown;
      text_parse_mode?: unknown;
      text_entities?: unknown;
    };
    const parsed = formatText(
      call.world.state,
      asText(source.text),
      asText(source.text_parse_mode),
      checkEntities(source.text_entities),
    );
    if (parsed.text === '') throw badRequest('poll options must be non-empty');
    if (parsed.text.length > 100) throw badRequest('poll options length must not exceed 100');
    return { persistent_id: String(index), text: parsed.text, voter_count: 0 };
  });
}

function readCorrect(call: Call, optionCount: number): number[] {
  const list = call.params.json('correct_option_ids');
  const given = Array.isArray(list)
    ? list.map(asNumber)
    : call.params.has('correct_option_id')
      ? [call.params.integer('correct_option_id')]
      : [];
  if (given.length === 0) throw badRequest('there is no correct option specified for the quiz');
  if (given.some((id) => !Number.isInteger(id) || id < 0 || id >= optionCount)) {
    throw badRequest('wrong correct option ID specified');
  }
  return given;
}

function readCloseDate(call: Call): Pick<PollRecord, 'openPeriod' | 'closeDate'> {
  const openPeriod = call.params.integer('open_period');
  const closeDate = call.params.integer('close_date');
  if (openPeriod > 0) return { openPeriod, closeDate: call.world.now() + openPeriod };
  return closeDate > call.world.now() ? { closeDate } : {};
}

function sendPoll(call: Call): Message {
  const { params, world } = call;
  const envelope = openEnvelope(call, 'can_send_polls');
  const question = formatText(
    world.state,
    params.text('question'),
    params.text('question_parse_mode'),
    readEntities(call, 'question_entities'),
  );
  if (question.text === '') throw badRequest('poll question must be non-empty');
  if (question.text.length > 300) throw badRequest('poll question length must not exceed 300');
  const options = readOptions(call);
  const type = params.text('type') === 'quiz' ? 'quiz' : 'regular';
  if (!['', 'quiz', 'regular'].includes(params.text('type'))) {
    throw badRequest('unsupported poll type specified');
  }
  const explanation = formatText(
    world.state,
    params.text('explanation'),
    params.text('explanation_parse_mode'),
    readEntities(call, 'explanation_entities'),
  );
  const poll: PollRecord = {
    id: nextLongId(world),
    roomKey: envelope.room.key,
    messageId: 0,
    botId: call.bot.id,
    question: question.text,
    ...(question.entities.length > 0 && { questionEntities: question.entities }),
    options,
    isClosed: params.flag('is_closed'),
    isAnonymous: params.has('is_anonymous') ? params.flag('is_anonymous') : true,
    type,
    allowsMultipleAnswers: params.flag('allows_multiple_answers'),
    allowsRevoting: params.has('allows_revoting')
      ? params.flag('allows_revoting')
      : type === 'regular',
    ...(type === 'quiz' && { correctOptionIds: readCorrect(call, options.length) }),
    ...(explanation.text && { explanation: explanation.text }),
    ...readCloseDate(call),
    votes: {},
  };
  keepPoll(world, poll);
  envelope.draft.pollId = poll.id;
  const record = post(call, envelope, {});
  poll.messageId = record.id;
  schedulePollClose(world, poll);
  return show(call, envelope.room, record);
}

function stopPoll(call: Call): Poll {
  const room = roomOf(call);
  const record = messageOf(call, room, 'message with poll to stop not found');
  const poll = record.pollId === undefined ? undefined : call.world.state.polls.get(record.pollId);
  if (!poll) throw badRequest('message with poll to stop not found');
  if (record.fromId !== call.bot.id && room.type !== 'channel')
    throw badRequest("poll can't be stopped");
  if (poll.isClosed) throw badRequest('poll has already been closed');
  const { inlineKeyboard } = readMarkup(call);
  if (inlineKeyboard) record.inlineKeyboard = inlineKeyboard;
  closePoll(call.world, poll);
  messageEdited(call.world, room, record, true);
  return pollObject(poll);
}

export const pollMethods: MethodTable = { sendpoll: sendPoll, stoppoll: stopPoll };
