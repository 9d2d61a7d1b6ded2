import { badRequest } from '../../api-error.ts';
import { formatText } from '../../text/format.ts';
import { draftPlace } from '../../world/chats/topics.ts';
import type { DialogRecord, MessageContent } from '../../world/records.ts';
import type { Call, MethodTable } from '../call.ts';
import { readEntities } from '../send.ts';
import { writableRoom } from '../target.ts';
import { topicOf } from '../topic-target.ts';

/** The private chat in which a draft is shown. */
export function draftRoom(call: Call): DialogRecord {
  const room = writableRoom(call);
  if (room.type !== 'private') throw badRequest('PEER_ID_INVALID');
  if (call.params.integer('draft_id') === 0) throw badRequest('RANDOM_ID_INVALID');
  return room;
}

/** A draft is shown until the bot sends something to the same topic, and replaced by the next one. */
export function showDraft(call: Call, room: DialogRecord, content: MessageContent): true {
  draftPlace(room, topicOf(call, room)).draft = {
    id: call.params.integer('draft_id'),
    content,
    canStop: call.params.flag('can_stop'),
    keepOnStop: call.params.flag('keep_on_stop'),
  };
  call.world.changed({
    type: 'chat_action',
    roomKey: room.key,
    botId: call.bot.id,
    action: 'typing',
  });
  return true;
}

/** An empty text shows that the bot is thinking. */
function sendMessageDraft(call: Call): true {
  const { params, world } = call;
  const { text, entities } = formatText(
    world.state,
    params.text('text'),
    params.text('parse_mode'),
    readEntities(call, 'entities'),
  );
  if (text.length > 4096) throw badRequest('message is too long');
  return showDraft(call, draftRoom(call), {
    ...(text !== '' && { text }),
    ...(entities.length > 0 && { entities }),
  });
}

export const draftMethods: MethodTable = { sendmessagedraft: sendMessageDraft };
