import type { ChatPermissions } from '@grammyjs/types';
import { badRequest } from '../../api-error.ts';
import { storePhoto } from '../../world/messages/files.ts';
import { addService } from '../../world/messages/messages.ts';
import type { ChatRecord } from '../../world/records.ts';
import { type AdminRight, readPermissions } from '../../world/chats/rights.ts';
import type { Call, MethodTable } from '../call.ts';
import { chatOf, requireRight } from '../target.ts';

function settable(call: Call, what: string, right: AdminRight = 'can_change_info'): ChatRecord {
  const chat = chatOf(call, `can't change private chat ${what}`);
  requireRight(call, chat, right, `not enough rights to change chat ${what}`);
  return chat;
}

function changed(call: Call, chat: ChatRecord): true {
  call.world.changed({ type: 'chat_changed', roomKey: chat.key });
  return true;
}

function setChatTitle(call: Call): true {
  const chat = settable(call, 'title');
  const title = call.params.text('title').trim().slice(0, 128);
  if (title === '') throw badRequest('title must be non-empty');
  if (title === chat.title) throw badRequest('CHAT_NOT_MODIFIED');
  chat.title = title;
  addService(call.world, chat, call.bot.id, { new_chat_title: title });
  return changed(call, chat);
}

function setChatDescription(call: Call): true {
  const chat = settable(call, 'description');
  const description = call.params.text('description').trim();
  if (description.length > 255) throw badRequest('CHAT_ABOUT_TOO_LONG');
  if (description === (chat.description ?? ''))
    throw badRequest('chat description is not modified');
  if (description === '') delete chat.description;
  else chat.description = description;
  return changed(call, chat);
}

function setChatPhoto(call: Call): true {
  const chat = settable(call, 'photo');
  const upload = call.params.upload('photo');
  if (!upload) {
    throw badRequest(
      call.params.has('photo')
        ? 'photo must be uploaded as an InputFile'
        : 'there is no photo in the request',
    );
  }
  const photo = storePhoto(call.world, upload);
  const big = photo?.at(-1);
  if (!photo || !big) throw badRequest('IMAGE_PROCESS_FAILED');
  chat.photo = big.file_id;
  addService(call.world, chat, call.bot.id, { new_chat_photo: photo });
  return changed(call, chat);
}

function deleteChatPhoto(call: Call): true {
  const chat = settable(call, 'photo');
  if (chat.photo === undefined) throw badRequest('CHAT_NOT_MODIFIED');
  delete chat.photo;
  addService(call.world, chat, call.bot.id, { delete_chat_photo: true });
  return changed(call, chat);
}

function setChatPermissions(call: Call): true {
  const chat = settable(call, 'permissions', 'can_restrict_members');
  if (chat.type === 'channel') throw badRequest("can't change channel chat permissions");
  const given = call.params.json('permissions') ?? {};
  if (given === null || typeof given !== 'object' || Array.isArray(given)) {
    throw badRequest('object expected as permissions');
  }
  const independent = call.params.flag('use_independent_chat_permissions');
  chat.permissions = readPermissions(given as ChatPermissions, independent);
  return changed(call, chat);
}

export const chatSettingMethods: MethodTable = {
  setchattitle: setChatTitle,
  setchatdescription: setChatDescription,
  setchatphoto: setChatPhoto,
  deletechatphoto: deleteChatPhoto,
  setchatpermissions: setChatPermissions,
};
