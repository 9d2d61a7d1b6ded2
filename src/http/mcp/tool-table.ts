/* What MCP tools there are: each action calls an endpoint of the API, from which its input derives. */

/** An endpoint, as `GET /api/chats`. */
type Call = `${'GET' | 'POST'} /api/${string}`;

export interface ToolAction {
  call: Call;
  /** What it does, if the summary of the endpoint says it badly here. */
  does?: string;
  /** The only fields that the tool takes; without it, all. */
  only?: readonly string[];
  /** The fields of the endpoint that have another name in the tool. */
  named?: Readonly<Record<string, string>>;
  /** Values of fields that are no input of the tool. */
  set?: Readonly<Record<string, unknown>>;
  /** Values of fields that the caller leaves out. Pages have 20 entries if no other `limit` is here. */
  byDefault?: Readonly<Record<string, unknown>>;
  /** It removes something, so a person confirms it where the client can ask one. */
  destroys?: true;
  /** Its tokens are those of practice bots, which are no secrets. */
  showsTokens?: true;
}

export interface Tool {
  title: string;
  does: string;
  actions: Readonly<Record<string, ToolAction>>;
}

/** An action is an endpoint, with what differs from it. */
function tool(
  title: string,
  does: string,
  actions: Readonly<Record<string, Call | ToolAction>>,
): Tool {
  const whole = Object.entries(actions).map(([name, action]): [string, ToolAction] => [
    name,
    typeof action === 'string' ? { call: action } : action,
  ]);
  return { title, does, actions: Object.fromEntries(whole) };
}

const words = ['text', 'format', 'reply_markup'];
const message = ['bot_id', 'chat_id', 'message_id'];

export const tools: Readonly<Record<string, Tool>> = {
  bots: tool(
    'Bots',
    'The bots of this relay and their health. Start here: other tools need a bot_id.',
    {
      list: 'GET /api/bots',
      health: 'GET /api/bots/health',
    },
  ),
  chats: tool(
    'Chats',
    'Chats of the bots: groups, channels, and conversations with people, which have a state and an assignee.',
    {
      list: 'GET /api/chats',
      get: 'GET /api/chats/get',
      topics: 'GET /api/chats/topics',
      assign: 'POST /api/chats/assign',
      set_state: { call: 'POST /api/chats/state', named: { state: 'new_state' } },
      snooze: 'POST /api/chats/snooze',
    },
  ),
  unanswered: tool(
    'Unanswered conversations',
    'Lists conversations in which a person waits for an answer, longest wait first.',
    {
      list: {
        call: 'GET /api/chats',
        only: ['bot_id', 'assignee', 'tag', 'limit', 'before'],
        set: { state: 'waiting', order: 'waiting' },
      },
    },
  ),
  history: tool(
    'History',
    'Messages of a chat that the relay stored, received and sent. `list` is newest first; page with before_id.',
    {
      list: 'GET /api/messages',
      context: { call: 'GET /api/messages/context', byDefault: { before: 10, after: 10 } },
      thread: { call: 'GET /api/messages/thread', byDefault: { limit: 50 } },
      pinned: 'GET /api/messages/pinned',
      edits: 'GET /api/messages/edits',
    },
  ),
  search: tool('Search messages', 'Finds stored messages of a bot by words, newest first.', {
    find: 'GET /api/messages/search',
  }),
  people: tool(
    'People',
    'People that a bot has seen: names, chats, tags, and what the bot may do to them.',
    {
      list: 'GET /api/users/list',
      profile: 'GET /api/users/profile',
      tags: 'GET /api/tags/user',
      rights: 'GET /api/users/rights',
    },
  ),
  send: tool(
    'Send a message',
    'Sends to a chat as the bot, within the limits of Telegram. Text is Markdown by default. If the outcome is unknown, do not send it a second time: look into the history.',
    {
      text: {
        call: 'POST /api/messages/send',
        only: [
          'bot_id',
          'chat_id',
          ...words,
          'reply_to_message_id',
          'message_thread_id',
          'disable_notification',
        ],
        byDefault: { format: 'markdown' },
      },
      file: {
        call: 'POST /api/messages/send-media',
        does: 'Send a file that the bot has seen, by file_id',
        only: ['bot_id', 'chat_id', 'type', 'file_id', 'caption', 'reply_to_message_id'],
      },
      preview: 'POST /api/messages/preview',
      outbox: 'GET /api/outbox',
    },
  ),
  edit: tool(
    'Edit messages',
    'Changes messages in Telegram: edits those of the bot, pins, unpins and deletes.',
    {
      text: {
        call: 'POST /api/messages/edit',
        only: [...message, ...words],
        byDefault: { format: 'markdown' },
      },
      pin: 'POST /api/messages/pin',
      unpin: 'POST /api/messages/unpin',
      delete: { call: 'POST /api/messages/delete', destroys: true },
    },
  ),
  ask_person: tool(
    'Ask a person',
    'Asks a person in a chat, with buttons or for a text, and waits for the answer. `ask` returns an id at once; `wait` returns after 25 seconds at most with the state, so repeat it while the state is open.',
    {
      ask: {
        call: 'POST /api/ask',
        only: [
          'bot_id',
          'chat_id',
          'message_thread_id',
          'text',
          'options',
          'user_ids',
          'expires_at',
        ],
      },
      wait: { call: 'GET /api/ask', byDefault: { timeout: 25 } },
      list: 'GET /api/ask/list',
      cancel: 'POST /api/ask/cancel',
    },
  ),
  simulate_route: tool(
    'Simulate routes',
    'Shows which routes a message would take, and why. Nothing is sent.',
    { simulate: 'POST /api/routes/simulate' },
  ),
  why_routed: tool(
    'Why was it routed',
    'Lists routing decisions with the reason of each, newest first. Find the message by chat_id. A search by q that ended early has next_before_id: pass it as before_id to search on.',
    { decisions: { call: 'GET /api/routes/decisions', byDefault: { limit: 10 } } },
  ),
  routes: tool('Routes', 'Rules that forward messages between bots. Simulate before you add one.', {
    list: 'GET /api/routes',
    add: { call: 'POST /api/routes/add', named: { action: 'route_action' } },
    update: { call: 'POST /api/routes/update', named: { action: 'route_action' } },
    delete: { call: 'POST /api/routes/delete', destroys: true },
  }),
  deliveries: tool(
    'Deliveries',
    'Deliveries of updates to backends: attempts, retry queues and dead letters.',
    {
      list: 'GET /api/deliveries',
      updates: 'GET /api/deliveries/updates',
      update: 'GET /api/deliveries/update',
      queues: 'GET /api/deliveries/queues',
      dead: 'GET /api/deliveries/dead',
      replay: 'POST /api/deliveries/replay',
      retry_now: 'POST /api/deliveries/retry-now',
      discard: { call: 'POST /api/deliveries/discard', destroys: true },
    },
  ),
  alerts: tool(
    'Alerts',
    'What needs attention in the relay at the moment, recorded alerts, and who takes care of them.',
    {
      open: 'GET /api/attention',
      list: 'GET /api/alerts',
      acknowledge: 'POST /api/alerts/acknowledge',
      mute: 'POST /api/alerts/mute',
    },
  ),
  sandbox: tool(
    'Sandbox',
    'A practice Telegram: create bots and people, write and press buttons as a person, see what the bot answers. Add a practice bot to the relay with add_bot and its token; long_poll_enabled and manage_enabled make it useful.',
    {
      create_bot: { call: 'POST /api/sandbox/bots/create', showsTokens: true },
      add_bot: {
        call: 'POST /api/bots/add',
        only: ['token', 'name', 'long_poll_enabled', 'manage_enabled'],
      },
      create_person: 'POST /api/sandbox/users/create',
      create_chat: 'POST /api/sandbox/chats/create',
      say: 'POST /api/sandbox/say',
      press: 'POST /api/sandbox/press',
      press_answer: 'GET /api/sandbox/callback-answer',
      history: 'GET /api/sandbox/history',
      chats: 'GET /api/sandbox/users/chats',
    },
  ),
};
