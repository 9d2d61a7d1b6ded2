import { expect, it, onTestFinished, vi } from 'vitest';
import { readSettings, toConfig } from '../../../src/config.ts';
import { createLogger } from '../../../src/logger.ts';
import { type Service, startService } from '../../../src/main.ts';
import { createSandbox } from '../../../sandbox/src/index.ts';
import { askService } from '../../support/ask-service.ts';
import { createDatabase, dialects } from '../../support/database/engines.ts';
import { createJumpingClock } from '../../support/rigs/jumping-clock.ts';
import { temporaryFolder } from '../../support/relay-process.ts';

const events = new Set(['alert.opened', 'alert.changed', 'alert.resolved']);

/** What a node tells of the disabled bot; moved time may also make a node look lost. */
async function listen({ address, localKey }: Service): Promise<string[]> {
  const seen: string[] = [];
  const ended = new AbortController();
  onTestFinished(() => ended.abort());
  const { body } = await fetch(`${address}/api/events`, {
    headers: { authorization: `Bearer ${localKey}` },
    signal: ended.signal,
  });
  const read = async () => {
    let rest = '';
    for await (const chunk of (body as ReadableStream<Uint8Array>).pipeThrough(
      new TextDecoderStream() as never,
    ) as ReadableStream<string>) {
      const parts = (rest + chunk).split('\n\n');
      rest = parts.pop() ?? '';
      for (const part of parts) {
        const [, type = '', data = '{}'] = /^event: (.+)\ndata: (.+)$/m.exec(part) ?? [];
        const { kind } = JSON.parse(data) as { kind?: string };
        if (events.has(type) && kind === 'bot_disabled') seen.push(type);
      }
    }
  };
  read().catch(() => undefined);
  return seen;
}

it.each(dialects)(
  'nodes tell of an alert once, on all of them, and in one message over a restart (%s)',
  async (dialect) => {
    const database = await createDatabase(dialect);
    onTestFinished(() => database.drop());
    const sandbox = createSandbox({ seed: 1 });
    onTestFinished(() => sandbox.close());
    const platform = (await sandbox.listen()).url;
    const clock = createJumpingClock();
    const running = new Set<Service>();
    onTestFinished(async () => {
      for (const service of running) await service.close();
    });
    async function start(): Promise<Service> {
      const folder = temporaryFolder();
      onTestFinished(folder.remove);
      const env = {
        ...database.settings,
        ...(dialect === 'postgres' ? { RELAY_DATA_DIR: folder.path } : {}),
        PORT: '0',
        RELAY_SANDBOX: 'off',
        TELEGRAM_API_URL: platform,
        RELAY_SECRET_KEY: 'k'.repeat(40),
      };
      const config = toConfig(readSettings({ env, workingDir: folder.path }));
      const service = await startService(config, {
        clock,
        logger: createLogger({ level: 'silent' }),
      });
      running.add(service);
      return service;
    }
    async function stop(service: Service): Promise<void> {
      running.delete(service);
      await service.close();
    }
    // In small steps: a node that was not heard of for nine seconds counts as lost.
    const moveUntil = (check: () => unknown) =>
      vi.waitFor(async () => {
        clock.jump(1_000);
        await check();
      });

    const first = await start();
    const nodes = dialect === 'postgres' ? [first, await start()] : [first];
    const told = await Promise.all(nodes.map(listen));
    const ann = sandbox.createUser({ first_name: 'Ann' });
    const [desk, shop] = [sandbox.createBot({ first_name: 'Desk' }), sandbox.createBot()];
    const add = ({ token }: { token: string }) =>
      askService<{ id: number }>(first, '/api/bots/add', { token });
    const [sends, breaks] = [await add(desk), await add(shop)];
    sandbox.say(ann.id, desk.id, '/start');
    await askService(first, '/api/alerts/channels/add', {
      type: 'telegram',
      bot_id: sends.id,
      chat_id: ann.id,
      min_severity: 'info',
      bot_ids: [breaks.id],
      delay_seconds: 0,
    });
    const shown = () => sandbox.history(ann.id, desk.id).slice(1);
    const texts = () => shown().map(({ message }) => message.text?.split('\n')[0]);
    const toggle = (service: Service) =>
      askService(service, `/api/bots/toggle-disabled?id=${breaks.id}`, {});

    await toggle(first);
    await moveUntil(() => expect(texts()).toHaveLength(1));
    expect(texts()[0]).toMatch(/^🔵 .+: The bot is disabled\.$/);
    const route = { source_bot_id: breaks.id, target_bot_id: sends.id, action: 'copy' };
    await askService(first, '/api/routes/add', route);
    await moveUntil(() => expect(texts()[0]).toMatch(/1 route to or from it is inactive\.$/));
    const opened = shown()[0]?.message.message_id;
    await vi.waitFor(() => {
      for (const one of told) {
        expect(one).toEqual(['alert.opened', 'alert.changed']);
      }
    });

    for (const node of nodes) await stop(node);
    const restarted = await start();
    const later = await listen(restarted);
    await toggle(restarted);
    await moveUntil(() => expect(texts()[0]).toMatch(/^✅/));
    // Time for a second message, if there were one.
    for (let step = 0; step < 12; step += 1) {
      clock.jump(1_000);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(shown().map(({ message }) => message.message_id)).toEqual([opened]);
    // Who enabled the bot is stored with the alert, which is a change of it.
    await vi.waitFor(() => expect(later).toEqual(['alert.changed', 'alert.resolved']));
    const alerts = await askService<object[]>(restarted, `/api/alerts?bot_id=${breaks.id}`);
    expect(alerts).toMatchObject([{ kind: 'bot_disabled', occurrences: 1 }]);
  },
);
