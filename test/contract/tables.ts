/*
 * The tables of the interface contract, written down by hand: what the service promises to the
 * letter. When the two differ, the contract is right.
 */

export type FieldType = 'integer' | 'string' | 'boolean';

export interface ResourceField {
  name: string;
  type: FieldType;
  values?: string[];
  /** Left out of an answer when there is nothing to say. */
  mayBeAbsent?: true;
  format?: string;
}

export interface InputField {
  name: string;
  type: FieldType;
  required: boolean;
  default?: unknown;
  /** Values that must be among those accepted. */
  values?: string[];
}

const field = (
  name: string,
  type: FieldType,
  more: Partial<ResourceField> = {},
): ResourceField => ({
  name,
  type,
  ...more,
});
const required = (name: string, type: FieldType): InputField => ({ name, type, required: true });
const optional = (name: string, type: FieldType, more: Partial<InputField> = {}): InputField => ({
  name,
  type,
  required: false,
  ...more,
});

export const resources = {
  Bot: [
    field('id', 'integer'),
    field('token', 'string'),
    field('name', 'string'),
    field('source', 'string', { values: ['cli', 'web'] }),
    field('manage_enabled', 'boolean'),
    field('proxy_enabled', 'boolean'),
    field('backend_url', 'string'),
    field('secret_token', 'string'),
    field('long_poll_enabled', 'boolean'),
    field('description', 'string'),
    field('running', 'boolean'),
    field('webhook_mode', 'boolean'),
    field('disabled', 'boolean'),
  ],
  Route: [
    field('id', 'integer'),
    field('source_bot_id', 'integer'),
    field('target_bot_id', 'integer'),
    field('condition_type', 'string'),
    field('condition_value', 'string'),
    field('action', 'string'),
    field('target_chat_id', 'integer'),
    field('enabled', 'boolean'),
    field('description', 'string'),
  ],
  Message: [
    field('id', 'integer'),
    field('chat_id', 'integer'),
    field('bot_id', 'integer'),
    field('user_id', 'integer'),
    field('username', 'string'),
    field('first_name', 'string'),
    field('last_name', 'string'),
    field('text', 'string'),
    field('date', 'integer'),
    field('media_type', 'string', { mayBeAbsent: true }),
    field('file_id', 'string', { mayBeAbsent: true }),
    field('reply_to_message_id', 'integer', { mayBeAbsent: true }),
  ],
  Tag: [
    field('id', 'integer'),
    field('chat_id', 'integer'),
    field('user_id', 'integer'),
    field('username', 'string'),
    field('tag', 'string'),
    field('color', 'string'),
    field('created_at', 'string', { format: 'date-time' }),
  ],
} as const satisfies Record<string, ResourceField[]>;

export interface ContractEndpoint {
  method: 'get' | 'post';
  path: string;
  query: InputField[];
  body: InputField[];
  answers: { resource: keyof typeof resources; list: boolean };
}

export const endpoints: ContractEndpoint[] = [
  {
    method: 'get',
    path: '/api/bots',
    query: [],
    body: [],
    answers: { resource: 'Bot', list: true },
  },
  {
    method: 'post',
    path: '/api/bots/add',
    query: [],
    body: [
      required('token', 'string'),
      optional('name', 'string'),
      optional('manage_enabled', 'boolean', { default: false }),
      optional('proxy_enabled', 'boolean', { default: false }),
      optional('backend_url', 'string'),
      optional('secret_token', 'string'),
    ],
    answers: { resource: 'Bot', list: false },
  },
  {
    method: 'post',
    path: '/api/bots/update',
    query: [],
    body: [
      required('id', 'integer'),
      optional('name', 'string'),
      optional('manage_enabled', 'boolean'),
      optional('proxy_enabled', 'boolean'),
      optional('backend_url', 'string'),
      optional('secret_token', 'string'),
      optional('long_poll_enabled', 'boolean'),
    ],
    answers: { resource: 'Bot', list: false },
  },
  {
    method: 'post',
    path: '/api/bots/toggle-disabled',
    query: [required('id', 'integer')],
    body: [],
    answers: { resource: 'Bot', list: false },
  },
  {
    method: 'post',
    path: '/api/routes/update',
    query: [],
    body: [
      required('id', 'integer'),
      required('source_bot_id', 'integer'),
      required('target_bot_id', 'integer'),
      { ...required('action', 'string'), values: ['forward', 'copy'] },
      optional('condition_type', 'string', { values: ['chat_id', 'user_id', 'keyword', 'all'] }),
      optional('condition_value', 'string'),
      optional('target_chat_id', 'integer'),
      optional('enabled', 'boolean', { default: true }),
      optional('description', 'string'),
    ],
    answers: { resource: 'Route', list: false },
  },
  {
    method: 'post',
    path: '/api/messages/send',
    query: [],
    body: [
      required('bot_id', 'integer'),
      required('chat_id', 'integer'),
      required('text', 'string'),
      optional('reply_to_message_id', 'integer'),
    ],
    answers: { resource: 'Message', list: false },
  },
  {
    method: 'get',
    path: '/api/messages',
    query: [
      required('chat_id', 'integer'),
      required('bot_id', 'integer'),
      optional('limit', 'integer', { default: 50 }),
      optional('offset', 'integer', { default: 0 }),
    ],
    body: [],
    answers: { resource: 'Message', list: true },
  },
  {
    method: 'post',
    path: '/api/tags/add',
    query: [],
    body: [
      required('chat_id', 'integer'),
      required('user_id', 'integer'),
      required('tag', 'string'),
      optional('bot_id', 'integer'),
      optional('username', 'string'),
      optional('color', 'string'),
    ],
    answers: { resource: 'Tag', list: false },
  },
];
