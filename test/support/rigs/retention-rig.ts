import { type IncomingUpdate, readUpdate } from '../../../src/core/log/update-facts.ts';
import { createLogger } from '../../../src/logger.ts';
import { createRetention } from '../../../src/relay/log/retention.ts';
import { type DialectName, raw } from '../../../src/store/engine.ts';
import { createManualClock } from '../manual-clock.ts';
import { createTestStore } from '../database/store.ts';

export const dayMs = 86_400_000;

export type RetentionRig = Awaited<ReturnType<typeof createRetentionRig>>;

/** A bot with an empty log and no readers: a test opens those it needs. */
export async function createRetentionRig(dialect: DialectName) {
  const { store, close } = await createTestStore(dialect);
  const clock = createManualClock();
  const logLines: string[] = [];
  // Ids of one length, so that all updates have the same size.
  let nextUpdateId = 1_001;

  const write = (sql: string, parameters: unknown[] = []) =>
    store.engine.write(() => raw(sql, parameters));
  const bot = {
    token: '1:a',
    source: 'web' as const,
    proxy_enabled: true,
    long_poll_enabled: true,
    backend_url: 'http://127.0.0.1:9/',
  };
  const botId = (await store.bots.insert(bot, clock.now())).id;
  await write('delete from readers');

  function retention(
    limits: { maxAgeMs?: number; maxBytesPerBot?: number } = {},
    repository = store.retention,
  ) {
    return createRetention({
      repository,
      clock,
      random: () => 0.5,
      logger: createLogger({ level: 'warn', write: (line) => logLines.push(line) }),
      limits: { maxAgeMs: 7 * dayMs, maxBytesPerBot: 1_000_000, ...limits },
    });
  }
  async function append(count: number, text = 'x', firstUpdateId = nextUpdateId): Promise<void> {
    nextUpdateId = firstUpdateId + count;
    await appendUpdates(
      Array.from({ length: count }, (_, index) => ({
        update_id: firstUpdateId + index,
        note: text,
      })),
    );
  }
  async function appendUpdates(received: readonly object[]): Promise<void> {
    const updates = received.map(
      (update) => readUpdate(JSON.stringify(update), update, clock.now()) as IncomingUpdate,
    );
    await store.log.append(() => [{ botId, updates, receivedAt: clock.now() }]);
  }
  const positions = async () =>
    (await store.log.read(botId, 0, 10_000)).map((entry) => entry.position);
  const droppedFromReaders = async () =>
    (await store.readers.list(botId)).map(({ name, dropped }) => ({ name, dropped }));
  const count = async (table: string) =>
    Number(
      (await store.engine.readRaw<{ n: number }>(`select count(*) as n from ${table}`, []))[0]?.n,
    );

  return {
    store,
    clock,
    botId,
    logLines,
    retention,
    append,
    appendUpdates,
    positions,
    droppedFromReaders,
    count,
    write,
    close,
  };
}
