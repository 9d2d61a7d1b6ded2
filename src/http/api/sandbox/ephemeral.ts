import { Type } from 'typebox';
import { MessageId, Name, chatFields, type SandboxAction, Text } from './fields.ts';

const EphemeralId = { ...MessageId, description: 'Its ephemeral_message_id.' };

/** What people and bots say to each other in groups, unseen by everybody else. */
export const ephemeralActions: Readonly<Record<string, SandboxAction>> = {
  ephemeral: {
    reads: true,
    summary: 'Show what only one person sees in a group',
    fields: chatFields,
  },
  'ephemeral/say': {
    summary: 'Give a bot an ephemeral command, or answer what it said to one person alone',
    description: 'A command that a bot declared with is_ephemeral in setMyCommands.',
    fields: { ...chatFields, text: Text, reply_to: Type.Optional(EphemeralId) },
  },
  'ephemeral/press': {
    summary: 'Press a button below a message that only one person sees',
    fields: {
      ...chatFields,
      ephemeral_message_id: EphemeralId,
      button: Name('Its text or its data.', 256, 'Yes'),
    },
  },
};
