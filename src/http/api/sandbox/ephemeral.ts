import { Type } from 'typebox';
import { MessageId, Name, chatFields, type SandboxAction, Text } from './fields.ts';

const EphemeralId = { ...MessageId, description: 'Its ephemeral_message_id.' };

/** Messages in groups that only one person and one bot see. */
export const ephemeralActions: Readonly<Record<string, SandboxAction>> = {
  ephemeral: {
    reads: true,
    summary: 'List ephemeral messages of a person',
    fields: chatFields,
  },
  'ephemeral/say': {
    summary: 'Send an ephemeral message',
    description:
      'A command that the bot declared with `is_ephemeral` in `setMyCommands`, or a reply to an ephemeral message of the bot.',
    fields: { ...chatFields, text: Text, reply_to: Type.Optional(EphemeralId) },
  },
  'ephemeral/press': {
    summary: 'Press a button of an ephemeral message',
    fields: {
      ...chatFields,
      ephemeral_message_id: EphemeralId,
      button: Name('Its text or its data.', 256, 'Yes'),
    },
  },
};
