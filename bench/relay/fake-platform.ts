// A Bot API server that costs as little as possible: it knows getMe, getUpdates, and what opens
// topics and sends into them, and hands out updates as the benchmark orders. It runs in its own
// process and is controlled over IPC. Arguments: the ID of the first update, and the bots whose
// people write in topics.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type PlatformOrder =
  /** Hand out this many updates to each of these bots, as fast as they poll. */
  | { kind: 'flood'; bots: number[]; perBot: number }
  /** Hand out updates to these bots at a rate, for a time. */
  | { kind: 'rate'; bots: number[]; perSecond: number; seconds: number }
  /** Hand out nothing; polls are held. */
  | { kind: 'idle' };

export type PlatformNews =
  | { kind: 'ready'; port: number }
  /** All updates were confirmed. */
  | { kind: 'confirmed'; updates: number };

interface Account {
  nextId: number;
  /** The number of updates still to be handed out in a flood. */
  left: number;
  /** When each update that waits for a poll was offered. */
  offered: number[];
  /** Updates that were handed out but not confirmed yet. */
  open: { id: number; text: string }[];
  waiting: { response: ServerResponse; timer: NodeJS.Timeout } | undefined;
}

const firstId = Number(process.argv[2] ?? 1_000);
const botsWithTopics = new Set((process.argv[3] ?? '').split(',').map(Number));
const topicsPerChat = 5;
const chatsPerBot = 100;
const batch = 100;
const accounts = new Map<number, Account>();
let sentId = 1_000_000_000;
let dealt = 0;
let confirmed = 0;

function account(botId: number): Account {
  let known = accounts.get(botId);
  if (!known) {
    known = { nextId: firstId + botId, left: 0, offered: [], open: [], waiting: undefined };
    accounts.set(botId, known);
  }
  return known;
}

function makeUpdate(botId: number, id: number, offeredAt: number): string {
  const chat = 1_000_000 + (botId % 1000) * chatsPerBot + (id % chatsPerBot);
  const topic = botsWithTopics.has(botId)
    ? `"message_thread_id":${(id % topicsPerChat) + 1},"is_topic_message":true,`
    : '';
  return `{"update_id":${id},"message":{"message_id":${id},${topic}"from":{"id":${chat},"is_bot":false,"first_name":"Person ${chat}","last_name":"Bench","username":"person_${chat}","language_code":"en"},"chat":{"id":${chat},"first_name":"Person ${chat}","last_name":"Bench","username":"person_${chat}","type":"private"},"date":${Math.floor(offeredAt / 1000)},"text":"offered ${offeredAt} The quick brown fox jumps over the lazy dog, once for each message, so that it is about as long as people write.","entities":[{"type":"bold","offset":0,"length":7}]}}`;
}

/** Hands out as many waiting updates as a batch may have. */
function deal(botId: number, state: Account): void {
  const room = batch - state.open.length;
  const offered = state.offered.splice(0, room);
  const flood = Math.min(room - offered.length, state.left);
  state.left -= flood;
  for (let i = 0; i < flood; i++) offered.push(Date.now());
  for (const at of offered) {
    const id = state.nextId++;
    state.open.push({ id, text: makeUpdate(botId, id, at) });
  }
  dealt += offered.length;
}

function answer(response: ServerResponse, updates: string[]): void {
  const body = `{"ok":true,"result":[${updates.join(',')}]}`;
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}

function getUpdates(botId: number, query: URLSearchParams, response: ServerResponse): void {
  const state = account(botId);
  const offset = Number(query.get('offset') ?? 0);
  if (offset > 0) {
    const before = state.open.length;
    state.open = state.open.filter((update) => update.id >= offset);
    confirmed += before - state.open.length;
    if (confirmed === dealt && dealt > 0 && [...accounts.values()].every((one) => one.left === 0)) {
      tell({ kind: 'confirmed', updates: confirmed });
    }
  }
  deal(botId, state);
  if (state.open.length > 0) {
    answer(
      response,
      state.open.slice(0, batch).map((update) => update.text),
    );
    return;
  }
  const holdMs = Number(query.get('timeout') ?? 0) * 1000;
  if (holdMs === 0) {
    answer(response, []);
    return;
  }
  const timer = setTimeout(() => {
    state.waiting = undefined;
    answer(response, []);
  }, holdMs);
  response.on('close', () => {
    clearTimeout(timer);
    if (state.waiting?.response === response) state.waiting = undefined;
  });
  state.waiting = { response, timer };
}

function wake(botId: number): void {
  const state = account(botId);
  const { waiting } = state;
  if (!waiting) return;
  clearTimeout(waiting.timer);
  state.waiting = undefined;
  deal(botId, state);
  answer(
    waiting.response,
    state.open.map((update) => update.text),
  );
}

const server = createServer({ keepAliveTimeout: 120_000 }, (request, response) => {
  const url = new URL(request.url ?? '/', 'http://fake');
  const [, bot = '', method = ''] = url.pathname.split('/');
  const botId = Number(bot.slice(3).split(':')[0]);
  if (method === 'getUpdates') {
    request.resume();
    getUpdates(botId, url.searchParams, response);
    return;
  }
  let body = '';
  request.setEncoding('utf8').on('data', (text: string) => {
    body += text;
  });
  request.on('end', () => {
    const params = body.startsWith('{') ? (JSON.parse(body) as Params) : {};
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ ok: true, result: resultOf(botId, method, params) }));
  });
});

interface Params {
  chat_id?: number;
  message_thread_id?: number;
  name?: string;
}

function resultOf(botId: number, method: string, params: Params): unknown {
  const bot = {
    id: botId,
    is_bot: true,
    first_name: `Bot ${botId}`,
    username: `bench_${botId}_bot`,
  };
  if (method === 'getMe') return bot;
  if (method === 'getChat') {
    return { id: params.chat_id, type: 'supergroup', title: 'Forum', is_forum: true };
  }
  if (method === 'getChatMember') return { user: bot, status: 'creator', is_anonymous: false };
  if (method === 'createForumTopic') {
    return { message_thread_id: sentId++, name: params.name, icon_color: 0 };
  }
  if (/^(?:send(?!ChatAction)|copyMessage|forwardMessage)/.test(method)) {
    const chat = { id: params.chat_id, type: 'private', first_name: 'Person' };
    return { message_id: sentId++, date: Math.floor(Date.now() / 1000), from: bot, chat };
  }
  return true;
}

function tell(news: PlatformNews): void {
  process.send?.(news);
}

process.on('message', (order: PlatformOrder) => {
  if (order.kind === 'flood') {
    for (const botId of order.bots) account(botId).left += order.perBot;
    for (const botId of order.bots) wake(botId);
  } else if (order.kind === 'rate') {
    const startedAt = Date.now();
    let given = 0;
    const timer = setInterval(() => {
      const elapsed = Math.min(Date.now() - startedAt, order.seconds * 1000);
      const due = Math.floor((elapsed / 1000) * order.perSecond);
      const touched = new Set<number>();
      for (; given < due; given++) {
        const botId = order.bots[given % order.bots.length] as number;
        // The relay's latency counts from here, even while it is not polling.
        account(botId).offered.push(Date.now());
        touched.add(botId);
      }
      for (const botId of touched) wake(botId);
      if (elapsed >= order.seconds * 1000) clearInterval(timer);
    }, 5);
  }
});
process.on('disconnect', () => process.exit(0));
server.listen(0, '127.0.0.1', 4096, () =>
  tell({ kind: 'ready', port: (server.address() as AddressInfo).port }),
);
