import { Type } from 'typebox';
import { Choice } from '../../schemas.ts';
import { Bot, Name, chatFields, Ref, type SandboxAction } from './fields.ts';

const Person = Type.Unknown({ description: 'As the Bot API shows a user.' });

/** Join requests and who decides them. */
export const chatJoinActions: Readonly<Record<string, SandboxAction>> = {
  'chats/join': {
    summary: 'Join a chat',
    description:
      'In chats with join requests, an administrator decides. A guard bot is asked first and has 10 seconds.',
    fields: { ...chatFields, invite_link: Type.Optional(Name('The link used.', 256)) },
    answer: Type.Object({
      status: Choice(['joined', 'requested', 'asked'], {
        description: 'asked: the guard bot decides; see GET /api/sandbox/chats/join-status.',
      }),
    }),
  },
  'chats/join-status': {
    reads: true,
    summary: 'Get the status of a join request',
    fields: chatFields,
    answer: Type.Object({
      status: Choice(['joined', 'waiting', 'web_app', 'requested', 'declined', 'banned', 'none'], {
        description:
          'waiting: for the guard bot; web_app: it asks to open its Mini App; requested: an administrator decides.',
      }),
      web_app: Type.Optional(Type.Object({ bot: Person, url: Type.String() })),
    }),
  },
  'chats/join-web-app': {
    summary: 'Open the Mini App of a guard bot',
    fields: chatFields,
    answer: Type.Object({
      url: Type.String({ description: 'The URL a phone would open, with the launch data.' }),
      init_data: Type.String({ description: "Launch data, signed with the bot's token." }),
    }),
  },
  'chats/guard-bot': {
    summary: 'Set the guard bot of a chat',
    description:
      'The guard bot decides about join requests. It must accept join request queries and be an administrator that can invite. From then on, joining needs a request. Omit `bot` to remove it.',
    fields: {
      chat: chatFields.chat,
      by: Ref('The administrator who sets it.'),
      bot: Type.Optional(Bot('The guard bot. Default: none.')),
      invite_links: Type.Optional(
        Type.Boolean({ description: 'Existing invite links need approval, too. Default: false.' }),
      ),
    },
  },
  'chats/answer-request': {
    summary: 'Answer a join request',
    fields: {
      ...chatFields,
      by: Ref('The administrator who decides.'),
      approve: Type.Optional(Type.Boolean({ description: 'Default: true.' })),
    },
  },
};
