import { afterEach, beforeEach, expect, it } from 'vitest';
import { readSettings, toConfig } from '../../src/config.ts';
import { createLogger } from '../../src/logger.ts';
import { type Service, startService } from '../../src/main.ts';
import { createSandbox, type Sandbox } from '../../sandbox/src/index.ts';
import { createDatabase, type Database } from '../support/database/engines.ts';

const adminKey = `brs_${'a'.repeat(40)}`;

let database: Database;
let sandbox: Sandbox;
let nodes: Service[];
let botId: number;
let token: string;
let platformId: number;
let owner: number;
/** When messages of the bot arrived. */
let arrivals: number[];

beforeEach(async () => {
  database = await createDatabase('postgres');
  sandbox = createSandbox({ seed: 43 });
  const { url } = await sandbox.listen();
  nodes = [];
  for (const name of ['one', 'two', 'three']) {
    const env = {
      ...database.settings,
      PORT: '0',
      RELAY_DATA_DIR: `${database.dataDir}/${name}`,
      RELAY_SECRET_KEY: 'k'.repeat(40),
      RELAY_ADMIN_KEY: adminKey,
      RELAY_SANDBOX: 'off',
      TELEGRAM_API_URL: url,
    };
    const config = toConfig(readSettings({ env, workingDir: database.dataDir }));
    nodes.push(await startService(config, { logger: createLogger({ level: 'silent' }) }));
  }
  owner = sandbox.createUser({ first_name: 'Ann' }).id;
  const practice = sandbox.createBot({ first_name: 'Desk' });
  platformId = practice.id;
  ({ token } = practice);
  const { json } = await ask(0, '/api/bots/add', { token: practice.token });
  botId = (json as { id: number }).id;
  arrivals = [];
  sandbox.onChange((change) => {
    if (change.type === 'message_added' && change.message.from?.id === platformId) {
      arrivals.push(performance.now());
    }
  });
});
afterEach(async () => {
  for (const node of nodes) await node.close();
  await sandbox.close();
  await database.drop();
});

async function ask(node: number, path: string, body: object) {
  const answer = await fetch(`${nodes[node]?.address}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: answer.status, json: (await answer.json()) as unknown };
}

const send = (node: number, chatId: number, text: string) =>
  ask(node, '/api/messages/send', { bot_id: botId, chat_id: chatId, text });

it('three nodes together keep to the limit of a group', async () => {
  const group = sandbox.createChat({ type: 'supergroup', title: 'Team', owner });
  sandbox.addMember(owner, group.id, platformId);
  const startedAt = performance.now();
  const answers = await Promise.all(
    // So many that they are refused also where a slow machine spreads them over a minute.
    Array.from({ length: 48 }, (_, index) => send(index % 3, group.id, `${index}`)),
  );
  // A burst of 16, then one in 3.15 s.
  for (const [index, at] of arrivals.entries()) {
    expect(at - startedAt).toBeGreaterThanOrEqual((index - 15) * 3_150 - 500);
  }
  expect(arrivals.length).toBeGreaterThanOrEqual(16);
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(arrivals.length);
  expect(new Set(statuses)).toEqual(new Set([200, 429]));
});

it('what the platform refused one node holds back the others', async () => {
  sandbox.say(owner, platformId, '/start');
  sandbox.fault({
    kind: 'too_many_requests',
    method: 'sendMessage',
    times: 1,
    retryAfterSeconds: 60,
  });
  expect(await send(0, owner, 'too much')).toMatchObject({
    status: 429,
    json: { code: 'platform_rate_limited' },
  });
  for (const node of [0, 1, 2]) {
    expect(await send(node, owner, 'too soon')).toMatchObject({
      status: 429,
      json: { code: 'rate_limited' },
    });
  }
  expect(arrivals).toEqual([]);
});

it('an answer that an app streams through one node holds up no message of another', async () => {
  const group = sandbox.createChat({ type: 'supergroup', title: 'Team', owner });
  sandbox.addMember(owner, group.id, platformId);
  const { json } = await ask(0, `/bot${token}/sendMessage`, { chat_id: group.id, text: '…' });
  const { message_id } = (json as { result: { message_id: number } }).result;
  for (let step = 0; step < 60; step++) {
    const edit = { chat_id: group.id, message_id, text: `${step}` };
    expect(await ask(0, `/bot${token}/editMessageText`, edit)).toMatchObject({ status: 200 });
  }
  for (const node of [0, 1, 2]) {
    expect(await send(node, group.id, 'note')).toMatchObject({ status: 200 });
  }
});
