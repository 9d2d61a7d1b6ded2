import { Type } from 'typebox';
import { Choice } from '../../schemas.ts';
import { Bot, Name, chatFields, Ref, type SandboxAction } from './fields.ts';

const Person = Type.Unknown({ description: 'As the Bot API shows a user.' });

/** Who comes in, and who decides it. */
export const chatJoinActions: Readonly<Record<string, SandboxAction>> = {
  'chats/join': {
    summary: 'Join a chat, or ask to',
    description:
      'Where people have to ask, an administrator decides; where there is a guard bot, it is asked first and has 10 seconds.',
    fields: { ...chatFields, invite_link: Type.Optional(Name('The link used.', 256)) },
    answer: Type.Object({
      status: Choice(['joined', 'requested', 'asked'], {
        description: 'asked: the guard bot; GET /api/sandbox/chats/join-status tells more.',
      }),
    }),
  },
  'chats/join-status': {
    reads: true,
    summary: 'Show how it stands with someone who wants to join',
    fields: chatFields,
    answer: Type.Object({
      status: Choice(['joined', 'waiting', 'web_app', 'requested', 'declined', 'banned', 'none'], {
        description:
          'waiting: for the guard bot; web_app: it wants its web app to be opened; requested: an administrator decides.',
      }),
      web_app: Type.Optional(Type.Object({ bot: Person, url: Type.String() })),
    }),
  },
  'chats/join-web-app': {
    summary: 'Open the web app that a guard bot shows someone who wants to join',
    fields: chatFields,
    answer: Type.Object({
      url: Type.String({ description: 'What a telephone would open, with the launch data.' }),
      init_data: Type.String({ description: "Launch data, signed with the bot's token." }),
    }),
  },
  'chats/guard-bot': {
    summary: 'Let a bot decide who may join, or take that from it',
    description:
      'The bot takes join request queries and is an administrator who may invite. From then on people have to ask.',
    fields: {
      chat: chatFields.chat,
      by: Ref('Who appoints it.'),
      bot: Type.Optional(Bot('The bot; left out: none.')),
      invite_links: Type.Optional(
        Type.Boolean({ description: 'Who comes by an existing link asks, too. Left out: false.' }),
      ),
    },
  },
  'chats/answer-request': {
    summary: 'Let someone in who asked to join, or turn them away',
    fields: {
      ...chatFields,
      by: Ref('The administrator who decides.'),
      approve: Type.Optional(Type.Boolean({ description: 'Left out: true.' })),
    },
  },
};
