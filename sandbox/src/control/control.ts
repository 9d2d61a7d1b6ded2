import type { BusinessBotRights, ChatAdministratorRights } from '@grammyjs/types';
import type { ControlAnswers } from '../answers.ts';
import { ControlError } from '../api-error.ts';
import {
  action,
  anyText,
  botId,
  type ControlAction,
  type ControlInput,
  flag,
  integerField,
  list,
  optionalInteger,
  optionalText,
  pick,
  reading,
  ref,
  textField,
} from './input.ts';
import { botActions } from './bots.ts';
import { chatJoinActions } from './chat-joins.ts';
import { ephemeralActions } from './ephemeral.ts';
import { paymentActions } from './payments.ts';
import { createBot, createChat, createUser } from './people.ts';
import { talk } from './talk.ts';
import { timeActions } from './time.ts';
import { addFault, listFaults } from './faults.ts';
import { telegramLimits } from '../faults/flood.ts';
import { asNumber } from '../methods/params.ts';
import { isTooDeep } from '../nesting.ts';
import { mediaKindFacts, type MediaKind } from '../world/messages/media.ts';
import type { SandboxControls } from '../controls.ts';

/*
 * Everything a page, a test or a script may do to the world, by name, with plain JSON in and out.
 * The standalone server offers it under /sandbox/; an embedder can call it directly.
 */

const replyTo = (input: ControlInput): { replyTo?: number } => {
  const id = optionalInteger(input, 'reply_to');
  return id === undefined ? {} : { replyTo: id };
};

function mediaKind(input: ControlInput): MediaKind {
  const kind = optionalText(input, 'kind') ?? 'photo';
  if (!Object.hasOwn(mediaKindFacts, kind))
    throw new ControlError('kind_wrong', { kinds: Object.keys(mediaKindFacts) });
  return kind as MediaKind;
}

function sendMedia(sandbox: SandboxControls, input: ControlInput) {
  const data = optionalText(input, 'data');
  const name = optionalText(input, 'name');
  const mediaGroupId = optionalText(input, 'media_group_id');
  return sandbox.sendMedia(ref(input, 'user'), ref(input, 'chat'), {
    kind: mediaKind(input),
    ...(data !== undefined && { bytes: Buffer.from(data, 'base64') }),
    ...(name !== undefined && { name }),
    caption: anyText(input, 'caption'),
    ...(mediaGroupId !== undefined && { mediaGroupId }),
    ...replyTo(input),
  });
}

function callbackAnswer(sandbox: SandboxControls, id: string) {
  const answer = sandbox.callbackAnswer(id);
  return answer ? { ...answer, show_alert: answer.showAlert } : { pending: true };
}

/** A location, contact, venue or dice, as Telegram's own objects. */
function sendContent(sandbox: SandboxControls, input: ControlInput) {
  const content = pick(input, ['location', 'contact', 'venue', 'dice']);
  if (Object.keys(content).length === 0) {
    throw new ControlError('content_needed');
  }
  return sandbox.sendContent(...userAndChat(input), content);
}

const userAndChat = (input: ControlInput): [number | string, number | string] => [
  ref(input, 'user'),
  ref(input, 'chat'),
];

/** Answers that clients read have the types that they are promised. */
type Answering = { [Name in keyof ControlAnswers]: ControlAction<ControlAnswers[Name]> };

const actions = {
  snapshot: reading('', (sandbox) => sandbox.snapshot()),
  'bots/create': action(
    'username first_name description privacy_mode can_join_groups inline_mode join_request_queries',
    createBot,
  ),
  'bots/jump-update-ids': action('bot', (sandbox, input) =>
    sandbox.jumpUpdateIds(botId(sandbox, input)),
  ),
  'users/create': action('first_name last_name username language_code is_premium bio', createUser),
  'users/chats': reading('user', (sandbox, input) => sandbox.chatsOf(ref(input, 'user'))),
  'users/photo': action('user', (sandbox, input) => sandbox.setProfilePhoto(ref(input, 'user'))),
  'users/block-bot': action('user bot blocked', (sandbox, input) =>
    sandbox.blockBot(ref(input, 'user'), ref(input, 'bot'), flag(input, 'blocked', true)),
  ),
  'business/connect': action('user bot rights', (sandbox, input) =>
    sandbox.connectBusiness(
      ref(input, 'user'),
      ref(input, 'bot'),
      input['rights'] as BusinessBotRights | undefined,
    ),
  ),
  'business/disconnect': action('user', (sandbox, input) =>
    sandbox.disconnectBusiness(ref(input, 'user')),
  ),
  'chats/create': action(
    'type title owner members username description join_by_request',
    createChat,
  ),
  'chats/join': action('user chat invite_link', (sandbox, input) => ({
    status: sandbox.join(...userAndChat(input), optionalText(input, 'invite_link')),
  })),
  'chats/leave': action('user chat', (sandbox, input) => sandbox.leave(...userAndChat(input))),
  'chats/add-member': action('user chat by', (sandbox, input) =>
    sandbox.addMember(ref(input, 'by'), ref(input, 'chat'), ref(input, 'user')),
  ),
  'chats/remove-member': action('user chat by', (sandbox, input) =>
    sandbox.removeMember(ref(input, 'by'), ref(input, 'chat'), ref(input, 'user')),
  ),
  'chats/promote': action('user chat by rights', (sandbox, input) =>
    sandbox.promote(
      ref(input, 'by'),
      ref(input, 'chat'),
      ref(input, 'user'),
      input['rights'] === false
        ? false
        : ((input['rights'] ?? {}) as Partial<ChatAdministratorRights>),
    ),
  ),
  'chats/upgrade': action('user chat', (sandbox, input) => ({
    id: sandbox.upgradeGroup(...userAndChat(input)).id,
  })),
  history: reading('user chat limit before', (sandbox, input) => {
    const before = optionalInteger(input, 'before');
    const limit = optionalInteger(input, 'limit') ?? 100;
    return sandbox.history(...userAndChat(input), {
      limit,
      ...(before !== undefined && { before }),
    });
  }),
  say: action('user chat text reply_to', (sandbox, input) =>
    sandbox.say(...userAndChat(input), textField(input, 'text'), replyTo(input)),
  ),
  talk: action('lines', talk),
  edit: action('user chat message_id text', (sandbox, input) =>
    sandbox.edit(
      ...userAndChat(input),
      integerField(input, 'message_id'),
      textField(input, 'text'),
    ),
  ),
  delete: action('user chat message_id', (sandbox, input) =>
    sandbox.delete(...userAndChat(input), integerField(input, 'message_id')),
  ),
  'send-media': action('user chat kind data name caption media_group_id reply_to', sendMedia),
  'send-content': action('user chat location contact venue dice', sendContent),
  forward: action('user chat message_id from_chat', (sandbox, input) =>
    sandbox.forward(
      ref(input, 'user'),
      ref(input, 'from_chat'),
      integerField(input, 'message_id'),
      ref(input, 'chat'),
    ),
  ),
  press: action('user chat message_id button', (sandbox, input) =>
    sandbox.press(
      ...userAndChat(input),
      integerField(input, 'message_id'),
      textField(input, 'button'),
    ),
  ),
  'callback-answer': reading('id', (sandbox, input) =>
    callbackAnswer(sandbox, textField(input, 'id')),
  ),
  react: action('user chat message_id emoji', (sandbox, input) =>
    sandbox.react(
      ...userAndChat(input),
      integerField(input, 'message_id'),
      anyText(input, 'emoji'),
    ),
  ),
  vote: action('user chat message_id options', (sandbox, input) =>
    sandbox.vote(
      ...userAndChat(input),
      integerField(input, 'message_id'),
      list(input, 'options').map(asNumber),
    ),
  ),
  pin: action('user chat message_id pinned', (sandbox, input) =>
    sandbox.pin(
      ...userAndChat(input),
      integerField(input, 'message_id'),
      flag(input, 'pinned', true),
    ),
  ),
  'inline-query': action('user chat bot query', (sandbox, input) => ({
    id: sandbox.inlineQuery(
      ref(input, 'user'),
      ref(input, 'bot'),
      ref(input, 'chat'),
      anyText(input, 'query'),
    ),
  })),
  'inline-results': reading(
    'id',
    (sandbox, input) => sandbox.inlineResults(textField(input, 'id')) ?? { pending: true },
  ),
  'inline-choose': action('id result_id', (sandbox, input) =>
    sandbox.chooseInlineResult(textField(input, 'id'), textField(input, 'result_id')),
  ),
  'faults/add': action(
    'kind bot method times probability status delay_ms retry_after_seconds delayMs retryAfterSeconds',
    addFault,
  ),
  'faults/list': reading('', listFaults),
  'faults/remove': action('id', (sandbox, input) => {
    if (sandbox.faults.remove(integerField(input, 'id'))) return;
    throw new ControlError('no_fault');
  }),
  'faults/clear': action('bot', (sandbox, input) =>
    sandbox.faults.clear(input['bot'] === undefined ? undefined : botId(sandbox, input)),
  ),
  'flood-limits': action('on', (sandbox, input) =>
    sandbox.flood.set(flag(input, 'on', true) ? telegramLimits : undefined),
  ),
  ...botActions,
  ...chatJoinActions,
  ...paymentActions,
  ...ephemeralActions,
  ...timeActions,
} satisfies Record<string, ControlAction> & Answering;

export const controlActions: Readonly<Record<string, ControlAction>> = actions;

/** The fields of each action. */
export const actionFields: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(controlActions).map(([name, { takes }]) => [name, takes]),
);

/** What may be asked for by GET. */
export const readingActions: ReadonlySet<string> = new Set(
  Object.keys(controlActions).filter((name) => controlActions[name]?.reads),
);

export function runAction(sandbox: SandboxControls, name: string, input: ControlInput): unknown {
  const found = Object.hasOwn(controlActions, name) ? controlActions[name] : undefined;
  if (!found) throw new ControlError('no_such_action', { action: name });
  checkFields(name, found.takes, input);
  if (isTooDeep(input)) throw new ControlError('too_deep');
  return found.run(sandbox, input);
}

/** A name beyond these is a slip that would otherwise pass unnoticed. */
function checkFields(action: string, takes: string, input: ControlInput): void {
  const known = takes.split(' ').filter(Boolean);
  const strange = Object.keys(input).find((name) => !known.includes(name));
  if (strange === undefined) return;
  throw new ControlError('field_unknown', { action, field: strange, known });
}
