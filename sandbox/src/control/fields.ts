import { ControlError } from '../api-error.ts';
import type { ControlInput } from './input.ts';

/** What each action takes; a name beyond these is a slip that would otherwise pass unnoticed. */
export const ACTION_FIELDS: Readonly<Record<string, string>> = {
  snapshot: '',
  'bots/create':
    'username first_name description privacy_mode can_join_groups inline_mode join_request_queries',
  'bots/jump-update-ids': 'bot',
  'bots/add-game': 'bot short_name title description',
  'bots/give-stars': 'bot stars',
  'users/create': 'first_name last_name username language_code is_premium bio',
  'users/chats': 'user',
  'users/photo': 'user',
  'users/block-bot': 'user bot blocked',
  'business/connect': 'user bot rights',
  'business/disconnect': 'user',
  'chats/create': 'type title owner members username description join_by_request',
  'chats/join': 'user chat invite_link',
  'chats/join-status': 'user chat',
  'chats/join-web-app': 'user chat',
  'chats/guard-bot': 'chat by bot invite_links',
  'chats/answer-request': 'user chat by approve',
  'chats/leave': 'user chat',
  'chats/add-member': 'user chat by',
  'chats/remove-member': 'user chat by',
  'chats/promote': 'user chat by rights',
  'chats/upgrade': 'user chat',
  history: 'user chat limit before',
  say: 'user chat text reply_to',
  talk: 'lines',
  edit: 'user chat message_id text',
  delete: 'user chat message_id',
  'send-media': 'user chat kind data name caption reply_to',
  'send-content': 'user chat location contact venue dice',
  forward: 'user chat message_id from_chat',
  press: 'user chat message_id button',
  'callback-answer': 'id',
  'stop-draft': 'user bot',
  react: 'user chat message_id emoji',
  vote: 'user chat message_id options',
  pin: 'user chat message_id pinned',
  'inline-query': 'user chat bot query',
  'inline-results': 'id',
  'inline-choose': 'id result_id',
  pay: 'user chat message_id invoice_link tip order_info',
  'pay/shipping': 'id option',
  'pay/status': 'id',
  ephemeral: 'user chat',
  'ephemeral/say': 'user chat text reply_to',
  'ephemeral/press': 'user chat ephemeral_message_id button',
  'faults/list': '',
  'faults/add':
    'kind bot method times probability status delay_ms retry_after_seconds delayMs retryAfterSeconds',
  'faults/remove': 'id',
  'faults/clear': 'bot',
  'flood-limits': 'on',
  time: '',
  'time/advance': 'seconds',
  'time/set': 'now',
  'time/reset': '',
};

export function checkFields(action: string, input: ControlInput): void {
  const known = (ACTION_FIELDS[action] ?? '').split(' ').filter(Boolean);
  const strange = Object.keys(input).find((name) => !known.includes(name));
  if (strange === undefined) return;
  const takes = known.length > 0 ? `it takes ${known.join(', ')}` : 'it takes nothing';
  throw new ControlError(`"${action}" does not know "${strange}": ${takes}.`);
}
