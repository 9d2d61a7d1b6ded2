import { type TProperties, type TSchema, Type } from 'typebox';
import type { Caller } from '../../core/access.ts';
import { RelayError } from '../../errors.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { Body, Choice, largestId, Query } from '../schemas.ts';

export interface SandboxEndpointsDeps {
  /** Does one thing in the sandbox; undefined when there is none. */
  act: ((action: string, input: Record<string, unknown>) => unknown) | undefined;
}

const Name = (description: string, maxLength = 64) =>
  Type.String({ minLength: 1, maxLength, description });
const MessageId = Type.Integer({ minimum: 1, maximum: largestId, description: 'The message.' });
const Text = Type.String({ minLength: 1, maxLength: 4_096, description: 'The text.' });

/** Anyone and any chat can be named by id or by user name. */
function Ref(description: string) {
  return Type.Union(
    [
      Type.Integer({ minimum: -largestId, maximum: largestId }),
      Type.String({ minLength: 1, maxLength: 64 }),
    ],
    { description: `${description} By id or user name.`, examples: [1] },
  );
}

const place = { user: Ref('Who acts.'), chat: Ref('Where; a bot means the private chat with it.') };
const message = { ...place, message_id: MessageId };
const replyTo = Type.Optional(MessageId);

const newBot: TProperties = {
  username: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z][A-Za-z0-9_]{2,28}[Bb][Oo][Tt]$',
      description: 'Ends in bot.',
    }),
  ),
  first_name: Type.Optional(Name('The name shown.')),
  description: Type.Optional(Type.String({ maxLength: 512, description: 'What it is for.' })),
  privacy_mode: Type.Optional(Type.Boolean({ description: 'Sees only what is meant for it.' })),
  can_join_groups: Type.Optional(Type.Boolean({ description: 'May be added to groups.' })),
  inline_mode: Type.Optional(Type.Boolean({ description: 'Takes inline queries.' })),
};

const IssuedBot = Type.Object({
  id: Type.Integer({ description: 'Its id on the platform, not the one it gets when added here.' }),
  token: Type.String({ description: 'For POST /api/bots/add.' }),
  username: Type.String(),
  first_name: Type.String(),
});

interface Action {
  summary: string;
  fields?: TProperties;
  answer?: TSchema;
  reads?: true;
}

/** By the name of the action in the sandbox's own control interface. */
const actions: Record<string, Action> = {
  snapshot: { reads: true, summary: 'Show everyone and everything there is' },
  'bots/create': { summary: 'Issue a practice bot', fields: newBot, answer: IssuedBot },
  'bots/jump-update-ids': {
    summary: 'Let the update ids of a bot fall, as after a quiet week',
    fields: { bot: Type.Integer({ minimum: 1, maximum: largestId, description: 'The bot.' }) },
  },
  'users/create': {
    summary: 'Add a person',
    fields: {
      first_name: Type.Optional(Name('First name.')),
      last_name: Type.Optional(Name('Last name.')),
      username: Type.Optional(
        Type.String({ pattern: '^[A-Za-z][A-Za-z0-9_]{2,31}$', description: 'User name.' }),
      ),
      language_code: Type.Optional(Name('Such as en.', 8)),
    },
  },
  'users/chats': { reads: true, summary: "Show a person's chats", fields: { user: place.user } },
  'users/photo': { summary: 'Give a person a picture', fields: { user: place.user } },
  'users/block-bot': {
    summary: 'Block a bot, or let it write again',
    fields: {
      user: place.user,
      bot: Ref('The bot.'),
      blocked: Type.Optional(Type.Boolean({ description: 'Left out: true.' })),
    },
  },
  'chats/create': {
    summary: 'Open a group or channel',
    fields: {
      type: Type.Optional(Choice(['group', 'supergroup', 'channel'], { default: 'supergroup' })),
      title: Name('Its title.', 128),
      owner: Ref('Who opens it.'),
      members: Type.Optional(
        Type.Array(Ref('A member.'), { maxItems: 200, description: 'Others.' }),
      ),
      username: Type.Optional(Name('Its public name.', 32)),
      description: Type.Optional(Name('What it is for.', 255)),
      join_by_request: Type.Optional(Type.Boolean({ description: 'Admins let people in.' })),
    },
  },
  'chats/join': {
    summary: 'Join a chat',
    fields: { ...place, invite_link: Type.Optional(Name('The link used.', 256)) },
  },
  'chats/leave': { summary: 'Leave a chat', fields: place },
  'chats/add-member': {
    summary: 'Add someone to a chat',
    fields: { ...place, by: Ref('Who adds them.') },
  },
  'chats/remove-member': {
    summary: 'Remove someone from a chat',
    fields: { ...place, by: Ref('Who removes them.') },
  },
  'chats/promote': {
    summary: 'Give someone rights in a chat, or take them back',
    fields: {
      ...place,
      by: Ref('Who gives them.'),
      rights: Type.Optional(
        Type.Union([Type.Boolean(), Type.Object({}, { additionalProperties: true })], {
          description: 'Rights as the Bot API names them; false takes all back.',
        }),
      ),
    },
  },
  'chats/upgrade': { summary: 'Make a supergroup of a group', fields: place },
  history: {
    reads: true,
    summary: 'Show a chat as a person sees it',
    fields: {
      ...place,
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: 'How many.' })),
      before: Type.Optional(MessageId),
    },
  },
  say: { summary: 'Write a message', fields: { ...place, text: Text, reply_to: replyTo } },
  edit: { summary: 'Change a message', fields: { ...message, text: Text } },
  delete: { summary: 'Delete a message', fields: message },
  'send-media': {
    summary: 'Send a photo or other media',
    fields: {
      ...place,
      kind: Type.Optional(Name('photo, video, document and so on; left out: photo.', 32)),
      data: Type.Optional(
        Type.String({ maxLength: 900_000, description: 'The bytes, as base64.' }),
      ),
      name: Type.Optional(Name('File name.', 128)),
      caption: Type.Optional(Type.String({ maxLength: 1_024, description: 'Caption.' })),
      reply_to: replyTo,
    },
  },
  forward: {
    summary: 'Forward a message',
    fields: { ...message, from_chat: Ref('Where it is.') },
  },
  press: {
    summary: 'Press a button below a message',
    fields: { ...message, button: Name('Its text or its data.', 256) },
  },
  'callback-answer': {
    reads: true,
    summary: 'Show what a bot answered to a press',
    fields: { id: Name('As given by the press.') },
  },
  react: {
    summary: 'React to a message',
    fields: { ...message, emoji: Type.String({ maxLength: 32, description: '"" takes it back.' }) },
  },
  vote: {
    summary: 'Vote in a poll',
    fields: {
      ...message,
      options: Type.Array(Type.Integer({ minimum: 0, maximum: 100 }), {
        maxItems: 100,
        description: 'The options, from 0; none takes the vote back.',
      }),
    },
  },
  pin: {
    summary: 'Pin a message, or unpin it',
    fields: { ...message, pinned: Type.Optional(Type.Boolean({ description: 'Left out: true.' })) },
  },
  'faults/list': { reads: true, summary: 'Show the faults that are set' },
  'faults/add': {
    summary: 'Let calls of bots fail in a certain way',
    fields: {
      kind: Name('The kind of failure.', 32),
      bot: Type.Optional(Type.Integer({ minimum: 1, maximum: largestId, description: 'The bot.' })),
      method: Type.Optional(Name('Only this method.')),
      times: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Times.' })),
      probability: Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: '0 to 1.' })),
      status: Type.Optional(Type.Integer({ minimum: 400, maximum: 599, description: 'Status.' })),
      delayMs: Type.Optional(Type.Integer({ minimum: 0, maximum: 600_000, description: 'Delay.' })),
      retryAfterSeconds: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 86_400, description: 'For 429.' }),
      ),
    },
  },
  'faults/clear': {
    summary: 'Take faults back',
    fields: {
      bot: Type.Optional(Type.Integer({ minimum: 1, maximum: largestId, description: 'The bot.' })),
    },
  },
};

/** The built-in Telegram, steered like everything else: someone must act as its users. */
export function sandboxEndpoints({ act }: SandboxEndpointsDeps): Endpoint[] {
  async function run(caller: Caller, action: string, input: unknown): Promise<never> {
    if (caller.botIds !== null) {
      throw new RelayError(
        'bot_not_allowed',
        'The sandbox shows all practice bots: use a key that is not limited to certain bots.',
      );
    }
    if (!act) {
      throw new RelayError(
        'sandbox_disabled',
        'The sandbox is switched off here: start the service with RELAY_SANDBOX=on.',
      );
    }
    return ((await act(action, input as Record<string, unknown>)) ?? { ok: true }) as never;
  }

  const made = Object.entries(actions).map(([name, { summary, fields = {}, answer, reads }]) => {
    const common = {
      path: `/api/sandbox/${name}`,
      scope: 'manage' as const,
      tag: 'Sandbox',
      summary,
      response: answer ?? Type.Unknown({ description: 'As the sandbox shows it.' }),
      errors: ['sandbox_disabled', 'bot_not_allowed', 'not_found'] as const,
    };
    return reads
      ? endpoint({
          ...common,
          method: 'GET',
          query: Query(fields),
          handler: ({ caller, query }) => run(caller, name, query),
        })
      : endpoint({
          ...common,
          method: 'POST',
          body: Body(fields),
          handler: ({ caller, body }) => run(caller, name, body),
        });
  });
  const issue = endpoint({
    method: 'POST',
    path: '/api/sandbox/bots',
    scope: 'manage',
    tag: 'Sandbox',
    summary: 'Issue a practice bot',
    description: 'Its token is served by the sandbox; add it with POST /api/bots/add.',
    body: Body(newBot),
    response: IssuedBot,
    errors: ['sandbox_disabled', 'bot_not_allowed'],
    handler: ({ caller, body }) => run(caller, 'bots/create', body),
  });
  return [issue, ...made];
}
