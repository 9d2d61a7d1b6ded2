import type { Message, MessageId } from '@grammyjs/types';
import { badRequest } from '../../api-error.ts';
import { canBeCopied, canTravel, copyDraft, forwardDraft } from '../../world/messages/forward.ts';
import { addMessage, type Draft } from '../../world/messages/messages.ts';
import type { MessageRecord, Room } from '../../world/records.ts';
import { knownTo } from '../../world/messages/visibility.ts';
import type { Call, MethodTable } from '../call.ts';
import { readMessageIds } from './deleting.ts';
import { type Envelope, openEnvelope, readCaption, show } from '../send.ts';
import { knownMessage, roomOf } from '../target.ts';

type Verb = 'forward' | 'copy';

const allowed = { forward: canTravel, copy: canBeCopied };

function draftFor(call: Call, verb: Verb, room: Room, record: MessageRecord): Draft {
  if (verb === 'forward') return forwardDraft(call.world, room, record);
  const draft = copyDraft(call.world, record, call.bot.id);
  const captioned = draft.content.caption !== undefined || call.params.has('caption');
  const isMedia = draft.content.text === undefined && draft.pollId === undefined;
  if (call.params.has('caption') && isMedia && captioned) {
    delete draft.content.caption_entities;
    Object.assign(draft.content, readCaption(call));
  }
  if (call.params.flag('remove_caption')) {
    delete draft.content.caption;
    delete draft.content.caption_entities;
  }
  return draft;
}

function deliver(call: Call, envelope: Envelope, draft: Draft): MessageRecord {
  const { content, ...rest } = draft;
  const record = addMessage(call.world, envelope.room, {
    ...envelope.draft,
    ...rest,
    content: { ...content, ...envelope.common },
  });
  const poll = record.pollId === undefined ? undefined : call.world.state.polls.get(record.pollId);
  if (poll && !record.forwardOrigin) {
    poll.roomKey = envelope.room.key;
    poll.messageId = record.id;
  }
  return record;
}

function one(call: Call, verb: Verb): [Envelope, MessageRecord] {
  call.params.required('from_chat_id');
  const source = roomOf(call, 'from_chat_id');
  const record = knownMessage(call, source, call.params.integer('message_id'));
  if (!record) throw badRequest(`message to ${verb} not found`);
  if (!allowed[verb](record)) {
    throw badRequest(verb === 'forward' ? "message can't be forwarded" : "message can't be copied");
  }
  const envelope = openEnvelope(call, 'can_send_messages');
  return [envelope, deliver(call, envelope, draftFor(call, verb, source, record))];
}

function many(call: Call, verb: Verb): MessageId[] {
  call.params.required('from_chat_id');
  const ids = readMessageIds(call);
  const envelope = openEnvelope(call, 'can_send_messages');
  const source = roomOf(call, 'from_chat_id');
  if (ids.some((id, index) => index > 0 && id <= (ids[index - 1] ?? 0))) {
    throw badRequest('message identifiers must be in a strictly increasing order');
  }
  const found = ids.map((id) => source.messages.get(id)).filter((record) => record !== undefined);
  const records = knownTo(call.world.state, source, call.bot, found).filter(allowed[verb]);
  // Telegram's own message calls copying forwarding too.
  if (records.length === 0) throw badRequest('there are no messages to forward');
  return records.map((record) => ({
    message_id: deliver(call, envelope, draftFor(call, verb, source, record)).id,
  }));
}

function forwardMessage(call: Call): Message {
  const [envelope, record] = one(call, 'forward');
  return show(call, envelope.room, record);
}

export const copyingMethods: MethodTable = {
  forwardmessage: forwardMessage,
  forwardmessages: (call) => many(call, 'forward'),
  copymessage: (call): MessageId => ({ message_id: one(call, 'copy')[1].id }),
  copymessages: (call) => many(call, 'copy'),
};
