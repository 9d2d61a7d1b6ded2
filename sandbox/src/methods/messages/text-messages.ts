import type { LinkPreviewOptions, Message } from '@grammyjs/types';
import { badRequest } from '../../api-error.ts';
import type { Call, MethodTable } from '../call.ts';
import { readText, send } from '../send.ts';
import { writableRoom } from '../target.ts';

const actions = new Set([
  'cancel',
  'typing',
  'upload_photo',
  'record_video',
  'upload_video',
  'record_voice',
  'upload_voice',
  'record_audio',
  'upload_audio',
  'upload_document',
  'choose_sticker',
  'find_location',
  'pick_up_location',
  'record_video_note',
  'upload_video_note',
]);

function sendMessage(call: Call): Message {
  return send(call, 'can_send_messages', () => {
    const preview = call.params.json('link_preview_options') as LinkPreviewOptions | undefined;
    const disabled = call.params.flag('disable_web_page_preview');
    return {
      ...readText(call),
      ...(preview && { link_preview_options: preview }),
      ...(disabled && !preview && { link_preview_options: { is_disabled: true } }),
    };
  });
}

function sendChatAction(call: Call): true {
  const action = call.params.text('action').toLowerCase();
  if (!actions.has(action)) throw badRequest('wrong parameter action in request');
  const room = writableRoom(call);
  call.world.changed({ type: 'chat_action', roomKey: room.key, botId: call.bot.id, action });
  return true;
}

export const textMethods: MethodTable = {
  sendmessage: sendMessage,
  sendchataction: sendChatAction,
};
