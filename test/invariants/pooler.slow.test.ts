import { expect, it, onTestFinished, vi } from 'vitest';
import { behindPooler } from '../support/database/pooling-proxy.ts';
import { temporaryFolder } from '../support/relay-process.ts';
import { startServiceProcess } from '../support/service-process.ts';
import { message } from './support/held-platform.ts';
import { addBot, createStage, pull } from './support/stage.ts';

const tokens = ['7801:AApooled_1', '7802:AApooled_2'];

it('the service runs two nodes behind a pooler in transaction mode', {
  timeout: 120_000,
}, async () => {
  const { database, platform } = await createStage('postgres');
  const pooled = await behindPooler(database);
  const other = temporaryFolder();
  onTestFinished(() => other.remove());
  const env = { TELEGRAM_API_URL: platform.url, RELAY_LOG_LEVEL: 'warn' };
  const nodes = await Promise.all([
    startServiceProcess(pooled, env),
    startServiceProcess({ settings: { ...pooled.settings, RELAY_DATA_DIR: other.path } }, env),
  ]);
  for (const node of nodes) {
    expect(node.stdout() + node.stderr()).toContain('a pooler in transaction mode');
  }
  const [first, second] = nodes;
  for (const token of tokens) await addBot(first, { token, long_poll_enabled: true });
  await vi.waitFor(() => expect(tokens.map(platform.isPolled)).toEqual([true, true]));
  for (const [index, token] of tokens.entries()) {
    for (let id = 1; id <= 5; id++) platform.deal(token, message(id, 40 + index));
  }
  // Whichever node runs a bot, each of them answers for it.
  for (const token of tokens) {
    for (const node of [first, second]) {
      await vi.waitFor(async () => expect(await pull(node, token, 1, 0)).toHaveLength(5));
    }
    await pull(second, token, 6, 0);
    expect(await pull(first, token, 0, 0)).toEqual([]);
  }
  for (const node of nodes) expect((await node.request('/readyz')).status).toBe(200);
});
