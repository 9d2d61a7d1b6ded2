import { notifyEphemeral } from '../../world/messages/ephemeral.ts';
import type { Call, MethodTable } from '../call.ts';
import { editCaption, editMarkup, editMedia, editText, type Target } from './editing.ts';
import { ownEphemeral } from './ephemeral-target.ts';
import { chatOf } from '../target.ts';

function target(call: Call): Target {
  const refusal = 'message to edit not found';
  const room = chatOf(call, refusal);
  return { room, record: ownEphemeral(call, room, refusal), inline: true };
}

function deleteEphemeralMessage(call: Call): true {
  const refusal = 'message to delete not found';
  const chat = chatOf(call, refusal);
  const { ephemeral } = ownEphemeral(call, chat, refusal);
  if (!ephemeral) return true;
  chat.ephemeral?.delete(ephemeral.id);
  notifyEphemeral(call.world, chat, ephemeral);
  return true;
}

/** Returns true after an edit of an ephemeral message, as with messages sent inline. */
const done = async (edit: unknown): Promise<true> => {
  await edit;
  return true;
};

export const ephemeralMethods: MethodTable = {
  editephemeralmessagetext: (call) => done(editText(call, target)),
  editephemeralmessagecaption: async (call) => done(editCaption(call, target)),
  editephemeralmessagemedia: (call) => done(editMedia(call, target)),
  editephemeralmessagereplymarkup: async (call) => done(editMarkup(call, target)),
  deleteephemeralmessage: deleteEphemeralMessage,
};
