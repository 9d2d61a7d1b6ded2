/* What MCP tools there are: each action calls an endpoint of the API, from which its input derives. */

export interface ToolAction {
  /** The endpoint, as `GET /api/chats`. */
  call: `${'GET' | 'POST'} /api/${string}`;
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

const words = ['text', 'format', 'reply_markup'];
const message = ['bot_id', 'chat_id', 'message_id'];

export const tools: Readonly<Record<string, Tool>> = {
  bots: {
    title: 'Bots',
    does: 'The bots of this relay and their health. Start here: other tools need a bot_id.',
    actions: {
      list: { call: 'GET /api/bots' },
      health: { call: 'GET /api/bots/health' },
    },
  },
  chats: {
    title: 'Chats',
    does: 'Chats of the bots: groups, channels, and conversations with people, which have a state and an assignee.',
    actions: {
      list: { call: 'GET /api/chats' },
      get: { call: 'GET /api/chats/get' },
      topics: { call: 'GET /api/chats/topics' },
      assign: { call: 'POST /api/chats/assign' },
      set_state: { call: 'POST /api/chats/state', named: { state: 'new_state' } },
      snooze: { call: 'POST /api/chats/snooze' },
    },
  },
  unanswered: {
    title: 'Unanswered conversations',
    does: 'Lists conversations in which a person waits for an answer, longest wait first.',
    actions: {
      list: {
        call: 'GET /api/chats',
        only: ['bot_id', 'assignee', 'tag', 'limit', 'before'],
        set: { state: 'waiting', order: 'waiting' },
      },
    },
  },
  history: {
    title: 'History',
    does: 'Messages of a chat that the relay stored, received and sent. `list` is newest first; page with before_id.',
    actions: {
      list: { call: 'GET /api/messages' },
      context: { call: 'GET /api/messages/context', byDefault: { before: 10, after: 10 } },
      thread: { call: 'GET /api/messages/thread', byDefault: { limit: 50 } },
      pinned: { call: 'GET /api/messages/pinned' },
      edits: { call: 'GET /api/messages/edits' },
    },
  },
  search: {
    title: 'Search messages',
    does: 'Finds stored messages of a bot by words, newest first.',
    actions: { find: { call: 'GET /api/messages/search' } },
  },
  people: {
    title: 'People',
    does: 'People that a bot has seen: names, chats, tags, and what the bot may do to them.',
    actions: {
      list: { call: 'GET /api/users/list' },
      profile: { call: 'GET /api/users/profile' },
      tags: { call: 'GET /api/tags/user' },
      rights: { call: 'GET /api/users/rights' },
    },
  },
  send: {
    title: 'Send a message',
    does: 'Sends to a chat as the bot, within the limits of Telegram. Text is Markdown by default. If the outcome is unknown, do not send it a second time: look into the history.',
    actions: {
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
      preview: { call: 'POST /api/messages/preview' },
      outbox: { call: 'GET /api/outbox' },
    },
  },
  edit: {
    title: 'Edit messages',
    does: 'Changes messages in Telegram: edits those of the bot, pins, unpins and deletes.',
    actions: {
      text: {
        call: 'POST /api/messages/edit',
        only: [...message, ...words],
        byDefault: { format: 'markdown' },
      },
      pin: { call: 'POST /api/messages/pin' },
      unpin: { call: 'POST /api/messages/unpin' },
      delete: { call: 'POST /api/messages/delete', destroys: true },
    },
  },
  ask_person: {
    title: 'Ask a person',
    does: 'Asks a person in a chat, with buttons or for a text, and waits for the answer. `ask` returns an id at once; `wait` returns after 25 seconds at most with the state, so repeat it while the state is open.',
    actions: {
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
      list: { call: 'GET /api/ask/list' },
      cancel: { call: 'POST /api/ask/cancel' },
    },
  },
  simulate_route: {
    title: 'Simulate routes',
    does: 'Shows which routes a message would take, and why. Nothing is sent.',
    actions: { simulate: { call: 'POST /api/routes/simulate' } },
  },
  why_routed: {
    title: 'Why was it routed',
    does: 'Lists routing decisions with the reason of each, newest first. Find the message by chat_id.',
    actions: { decisions: { call: 'GET /api/routes/decisions', byDefault: { limit: 10 } } },
  },
  routes: {
    title: 'Routes',
    does: 'Rules that forward messages between bots. Simulate before you add one.',
    actions: {
      list: { call: 'GET /api/routes' },
      add: { call: 'POST /api/routes/add', named: { action: 'route_action' } },
      update: { call: 'POST /api/routes/update', named: { action: 'route_action' } },
      delete: { call: 'POST /api/routes/delete', destroys: true },
    },
  },
  deliveries: {
    title: 'Deliveries',
    does: 'Deliveries of updates to backends: attempts, retry queues and dead letters.',
    actions: {
      list: { call: 'GET /api/deliveries' },
      queues: { call: 'GET /api/deliveries/queues' },
      dead: { call: 'GET /api/deliveries/dead' },
      replay: { call: 'POST /api/deliveries/replay' },
      retry_now: { call: 'POST /api/deliveries/retry-now' },
      discard: { call: 'POST /api/deliveries/discard', destroys: true },
    },
  },
  alerts: {
    title: 'Alerts',
    does: 'What needs attention in the relay at the moment, and recorded alerts.',
    actions: {
      open: { call: 'GET /api/attention' },
      list: { call: 'GET /api/alerts' },
    },
  },
  sandbox: {
    title: 'Sandbox',
    does: 'A practice Telegram: create bots and people, write and press buttons as a person, see what the bot answers. Add a practice bot to the relay with add_bot and its token; long_poll_enabled and manage_enabled make it useful.',
    actions: {
      create_bot: { call: 'POST /api/sandbox/bots/create', showsTokens: true },
      add_bot: {
        call: 'POST /api/bots/add',
        only: ['token', 'name', 'long_poll_enabled', 'manage_enabled'],
      },
      create_person: { call: 'POST /api/sandbox/users/create' },
      create_chat: { call: 'POST /api/sandbox/chats/create' },
      say: { call: 'POST /api/sandbox/say' },
      press: { call: 'POST /api/sandbox/press' },
      press_answer: { call: 'GET /api/sandbox/callback-answer' },
      history: { call: 'GET /api/sandbox/history' },
      chats: { call: 'GET /api/sandbox/users/chats' },
    },
  },
};
