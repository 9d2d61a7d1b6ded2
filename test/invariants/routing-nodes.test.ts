import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { readSettings, toConfig } from '../../src/config.ts';
import { createLogger } from '../../src/logger.ts';
import { type Service, startService } from '../../src/main.ts';
import { createSandbox, type Sandbox } from '../../sandbox/src/index.ts';
import type { Engine } from '../../src/store/engine.ts';
import { createDatabase, type Database } from '../support/database/engines.ts';

const adminKey = `brs_${'a'.repeat(40)}`;

let database: Database;
let engine: Engine;
let sandbox: Sandbox;
let nodes: Service[];

beforeEach(async () => {
  database = await createDatabase('postgres');
  engine = await database.open();
  sandbox = createSandbox({ seed: 41 });
  const { url } = await sandbox.listen();
  nodes = [];
  for (const name of ['one', 'two']) {
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
});
afterEach(async () => {
  for (const node of nodes) await node.close();
  await sandbox.close();
  await engine.close();
  await database.drop();
});

async function call<T>(path: string, body: object): Promise<T> {
  const answer = await fetch(`${nodes[0]?.address}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const json: unknown = await answer.json();
  expect(answer.status, JSON.stringify(json)).toBe(200);
  return json as T;
}

const soon = <T>(check: () => Promise<T> | T) => vi.waitFor(check, { interval: 20 });

/** Which bots each node runs, once they are shared out. */
async function shares(): Promise<number[][]> {
  const rows = await engine.readRaw<{ bot_id: number; owner: string }>(
    'select bot_id, owner from leases order by bot_id',
    [],
  );
  return [...Map.groupBy(rows, (row) => row.owner).values()].map((of) =>
    of.map((row) => row.bot_id),
  );
}

it('a message goes from a bot of one node to a bot of another, and the answer back', async () => {
  const platformIds = new Map<number, number>();
  for (let count = 0; count < 4; count++) {
    const { token, id } = sandbox.createBot({ privacyMode: false });
    platformIds.set((await call<{ id: number }>('/api/bots/add', { token })).id, id);
  }
  const [ofOne = [], ofTwo = []] = await vi.waitFor(
    async () => {
      const shared = await shares();
      expect(shared.length).toBe(2);
      return shared;
    },
    { interval: 100 },
  );
  const [source = 0, target = 0] = [ofOne[0], ofTwo[0]];
  const ann = sandbox.createUser({ first_name: 'Ann' });
  const agent = sandbox.createUser({ first_name: 'Agent' });
  const room = sandbox.createChat({ type: 'supergroup', title: 'Desk', owner: agent.id });
  sandbox.addMember(agent.id, room.id, platformIds.get(target) ?? 0);
  await call('/api/routes/add', {
    source_bot_id: source,
    target_bot_id: target,
    target_chat_id: room.id,
    action: 'copy',
  });
  const inRoom = () => sandbox.history(agent.id, room.id).map(({ message }) => message);
  const atAnn = () =>
    sandbox.history(ann.id, platformIds.get(source) ?? 0).map(({ message }) => message.text);
  for (let turn = 1; turn <= 3; turn++) {
    sandbox.say(ann.id, platformIds.get(source) ?? 0, `question ${turn}`);
    await soon(() => expect(inRoom().at(-1)?.text).toBe(`question ${turn}`));
    const replyTo = inRoom().at(-1)?.message_id ?? 0;
    sandbox.say(agent.id, room.id, `answer ${turn}`, { replyTo });
    await soon(() => expect(atAnn().at(-1)).toBe(`answer ${turn}`));
  }
});
