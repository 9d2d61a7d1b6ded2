/* A bot that does everything wrong, by the rights of a key for this bot alone. */
import { setTimeout as pause } from 'node:timers/promises';
import { message } from '../../invariants/support/held-platform.ts';
import { addBot } from '../../invariants/support/stage.ts';
import type { CallOptions, ServiceProcess } from '../../support/service-process.ts';
import type { World } from './world.ts';

/** Each is accepted, and takes long for the texts below. */
const heavyPatterns = [
  '(?i)[ab]*a[ab]{700}(?:d|e)',
  '(?i)(a.{0,180}b.{0,180}c.{0,180}d.{0,180})#',
  '(?i)(?:a?){740}!',
];
const longestText = 4_096;
const mostApps = 100;
const chats = 40;
const messagesPerSecond = 10;
const streamedPerSecond = 10;
const requestsPerSecond = 4;
/** Nothing listens there. */
const deadBackend = 'http://127.0.0.1:9/dead';

export interface BadNeighbour {
  /** What it could set up. */
  apps: number;
  routes: number;
  /** Ends what it does and deletes the bot; returns how many requests got which status. */
  stop(): Promise<Record<string, number>>;
}

export async function startBadNeighbour(
  world: World,
  node: ServiceProcess,
  token: string,
): Promise<BadNeighbour> {
  const { id } = await addBot(node, {
    token,
    proxy_enabled: true,
    backend_url: deadBackend,
    long_poll_enabled: true,
    manage_enabled: true,
  });
  const { key } = await node.call<{ key: string }>('/api/auth/api-keys', {
    name: 'bad neighbour',
    scope: 'manage',
    bot_ids: [id],
  });
  const statuses: Record<string, number> = {};
  const ask = async (path: string, options: CallOptions = {}) => {
    const answer = await node.request(path, { key, ...options }).catch(() => undefined);
    await answer?.arrayBuffer().catch(() => {});
    const status = String(answer?.status ?? 'none');
    statuses[status] = (statuses[status] ?? 0) + 1;
    return answer?.status === 200;
  };

  let apps = 0;
  const addApp = (settings: object) =>
    ask('/api/bots/apps/add', { body: { bot_id: id, name: `app-${apps}`, ...settings } });
  // Heavy filters as long as they are accepted; the rest never polls, or has a backend that is down.
  for (const regex of heavyPatterns) {
    while (apps < mostApps && (await addApp({ filter: { regex }, exclusive: true }))) apps++;
  }
  for (; apps < mostApps; apps++) {
    const down = apps % 2 === 0 ? { mode: 'webhook', backend_url: deadBackend } : {};
    if (!(await addApp({ filter: { chat_types: ['private'] }, ...down }))) break;
  }
  let routes = 0;
  for (const condition_value of heavyPatterns) {
    const body = {
      source_bot_id: id,
      target_bot_id: id,
      target_chat_id: 1,
      action: 'copy',
      condition_type: 'regex',
      condition_value,
    };
    while (routes < mostApps && (await ask('/api/routes/add', { body }))) routes++;
  }

  let isOver = false;
  const tasks: Promise<void>[] = [];
  /** Counts from when it is due, and never has two of one kind in flight. */
  const often = (perSecond: number, act: (turn: number) => Promise<unknown> | void) => {
    const loop = async () => {
      for (let turn = 0; !isOver; turn++) {
        const nextAt = performance.now() + 1_000 / perSecond;
        await act(turn);
        await pause(Math.max(0, nextAt - performance.now()));
      }
    };
    tasks.push(loop());
  };
  const text = (letters: string) =>
    Array.from(
      { length: longestText },
      () => letters[Math.floor(world.random() * letters.length)],
    ).join('');
  const texts = [text('ab'), 'a'.repeat(longestText), 'abcd '.repeat(800), text('ab')];
  often(messagesPerSecond, (turn) =>
    world.platform.deal(
      token,
      message(1_000 + turn, 11 + (turn % chats), texts[turn % texts.length]),
    ),
  );
  const gateway = (method: string, params: object) =>
    ask(`/bot${token}/${method}`, { key: '', body: params });
  often(streamedPerSecond, (turn) =>
    turn % 10 === 0
      ? gateway('sendMessage', { chat_id: 11, text: 'streaming' })
      : gateway(turn % 2 === 0 ? 'editMessageText' : 'sendMessageDraft', {
          chat_id: 11,
          message_id: 7,
          draft_id: 7,
          text: `streamed ${turn}`,
        }),
  );
  const requests = [
    () =>
      ask('/api/bots/apps/preview', { body: { bot_id: id, filter: { regex: heavyPatterns[0] } } }),
    () => ask(`/api/bots/apps?bot_id=${id}`),
    () => ask(`/api/bots/readers?bot_id=${id}`),
    () => ask('/api/routes/simulate', { body: { bot_id: id, text: texts[0] } }),
    () =>
      ask('/api/bots/apps/update', {
        body: { bot_id: id, name: 'app-0', filter: { regex: heavyPatterns[0] } },
      }),
  ];
  often(requestsPerSecond, (turn) => requests[turn % requests.length]?.());

  return {
    apps,
    routes,
    async stop() {
      isOver = true;
      await Promise.all(tasks);
      await ask(`/api/bots/delete?id=${id}`, { body: {} });
      return statuses;
    },
  };
}
