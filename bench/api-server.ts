/*
 * The measured side of `bench/api.ts`, in a separate process: the whole service on an embedded
 * database with the requested number of messages, and next to it a bare Fastify that returns the
 * same bytes.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import Fastify from 'fastify';
import { readSettings, toConfig } from '../src/config.ts';
import { createLogger } from '../src/logger.ts';
import { startService } from '../src/main.ts';
import type { Engine } from '../src/store/engine.ts';
import { openSqlite } from '../src/store/sqlite/engine.ts';

export interface ServerReady {
  relay: string;
  bare: string;
  key: string;
  paths: { bots: string; messages: string };
}

const bots = 10;
const chat = -1_001_234_567_890;
const messageCount = Number(process.argv[2] ?? 10_000);
const dataDir = mkdtempSync(path.join(os.tmpdir(), 'relay-bench-'));
process.on('exit', () => rmSync(dataDir, { recursive: true, force: true }));

const env = {
  RELAY_DATA_DIR: dataDir,
  TELEGRAM_API_URL: 'http://127.0.0.1:9',
  RELAY_SANDBOX: 'off',
  RELAY_RATE_PER_KEY: '1000000',
  RELAY_RATE_PER_ADDRESS: '1000000',
};
const config = { ...toConfig(readSettings({ env, workingDir: dataDir })), port: 0 };
const logger = createLogger({ level: 'silent' });

const key = await prepare();
const service = await startService(config, { logger });
const paths = {
  bots: '/api/bots',
  messages: `/api/messages?bot_id=1&chat_id=${chat}&limit=50`,
};

const bare = Fastify();
for (const route of ['/api/bots', '/api/messages']) {
  const asked = route === '/api/bots' ? paths.bots : paths.messages;
  const answer = await fetch(service.address + asked, {
    headers: { authorization: `Bearer ${key}` },
  });
  const bytes = await answer.text();
  if (answer.status !== 200) throw new Error(`${asked}: ${bytes}`);
  bare.get(route, (_request, reply) => {
    reply.header('content-type', 'application/json; charset=utf-8').send(bytes);
  });
}
const bareAddress = await bare.listen({ host: '127.0.0.1', port: 0 });
const ready: ServerReady = { relay: service.address, bare: bareAddress, key, paths };
process.send?.(ready);
process.on('message', () => process.send?.(process.cpuUsage()));
process.on('disconnect', () => process.exit());

/**
 * Creates bots through the API, so that they are complete; messages go directly into the table, as
 * there are many.
 */
async function prepare(): Promise<string> {
  const filling = await startService(config, { logger });
  const post = async (target: string, body?: object) => {
    const answer = await fetch(filling.address + target, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${filling.localKey}`,
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const result = (await answer.json()) as { id: number; key?: string };
    if (!answer.ok) throw new Error(JSON.stringify(result));
    return result;
  };
  for (let n = 1; n <= bots; n++) {
    const { id } = await post('/api/bots/add', {
      token: `${1_000_000 + n}:AAbbCCddEEffGGhhIIjjKKllMMnnOOppQQr`,
      name: `Bot number ${n}`,
      description: 'Answers questions about orders, refunds and opening hours.',
      backend_url: `https://backend.example/bots/${n}`,
      secret_token: 'a_secret_of_this_bot',
    });
    await post(`/api/bots/toggle-disabled?id=${id}`);
  }
  const { key: made } = await post('/api/auth/api-keys', { name: 'bench', scope: 'manage' });
  await filling.close();
  const engine = await openSqlite(dataDir);
  await fillMessages(engine);
  await engine.close();
  return made ?? '';
}

/** Puts half of the messages into the requested chat and spreads the others over all bots. */
async function fillMessages(engine: Engine): Promise<void> {
  const perTurn = 50_000;
  for (let done = 0; done < messageCount; done += perTurn) {
    const from = done + 1;
    const to = Math.min(messageCount, done + perTurn);
    await engine.write(function* () {
      yield {
        sql: `with recursive n(i) as (select ? union all select i + 1 from n where i < ?)
          insert into messages
            (bot_id, chat_id, id, user_id, username, first_name, last_name, text, date, origin)
          select case when i % 2 then 1 else 1 + i % ${bots} end,
            case when i % 2 then ${chat} else ${chat} - 1 - i % 500 end,
            i, 100000 + i % 5000, 'user' || (i % 5000), 'Firstname', 'Lastname',
            'Message number ' || i || ': could you please tell me when my order arrives?',
            1700000000 + i, 'received'
          from n`,
        parameters: [from, to],
      };
    });
  }
}
