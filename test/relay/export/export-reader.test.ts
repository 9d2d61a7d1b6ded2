import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type IncomingUpdate, readUpdate } from '../../../src/core/log/update-facts.ts';
import { createExportReader } from '../../../src/relay/export/export-reader.ts';
import type { LogReader } from '../../../src/relay/log/log-readers.ts';
import { createUpdateLog, type UpdateLog } from '../../../src/relay/log/update-log.ts';
import type { BotRecord } from '../../../src/store/bots/bots.ts';
import { raw } from '../../../src/store/engine.ts';
import { failureOf } from '../../../src/core/log/reader-failure.ts';
import type { Store } from '../../../src/store/store.ts';
import { dialects } from '../../support/database/engines.ts';
import { advanceUntil, createManualClock, type ManualClock } from '../../support/manual-clock.ts';
import { temporaryFolder } from '../../support/relay-process.ts';
import { openStore } from '../../support/database/store.ts';

interface Line {
  bot_id: number;
  position: number;
  received_at: string;
  update: { update_id: number };
}

describe.each(dialects)('the export of the log on %s', (dialect) => {
  let clock: ManualClock;
  let store: Store;
  let log: UpdateLog;
  let bot: BotRecord;
  let folder: string;
  let exporter: LogReader;
  let failures: unknown[];

  beforeEach(async () => {
    store = await openStore(dialect);
    // One minute before midnight.
    clock = createManualClock(Date.parse('2030-01-31T23:59:00Z'));
    log = createUpdateLog(store.log);
    const data = temporaryFolder();
    onTestFinished(data.remove);
    folder = path.join(data.path, 'not', 'there', 'yet');
    failures = [];
    bot = await store.bots.insert({ token: '1:a', source: 'web' }, clock.now());
    exporter = createNode();
    onTestFinished(() => exporter.run?.stopAll());
  });

  const createNode = (to = folder) =>
    createExportReader(
      {
        clock,
        engine: store.engine,
        requireEpoch: store.leases.requireEpoch,
        log,
        readers: { ...store.log, ...store.readers },
        bots: store.bots,
        onError: (error) => failures.push(error),
      },
      to,
    );

  let updates = 0;
  async function receive(count = 1, text = (id: number) => `{"update_id":${id}}`): Promise<void> {
    const incoming = Array.from({ length: count }, () => {
      const id = ++updates;
      return readUpdate(text(id), { update_id: id }, clock.now()) as IncomingUpdate;
    });
    await log.append(bot.id, incoming, { receivedAt: clock.now() });
  }

  async function begin(): Promise<void> {
    await exporter.prepare(bot);
    await exporter.run?.apply(bot, 1);
  }

  const fileOf = (day: string) => path.join(folder, String(bot.id), `${day}.jsonl`);
  const textOf = (day: string) =>
    existsSync(fileOf(day)) ? readFileSync(fileOf(day), 'utf8') : '';
  const linesOf = (day: string) =>
    textOf(day)
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Line);
  const positionsOf = (day: string) => linesOf(day).map(({ position }) => position);
  const reader = async () =>
    (await store.log.readers(bot.id)).find(({ name }) => name === 'export');
  const readTo = (position: number) =>
    vi.waitFor(async () => expect((await reader())?.position).toBe(position), {
      interval: 5,
    });
  const today = '2030-01-31';

  it('has a line for each update, in the file of its day', async () => {
    await receive();
    await begin();
    await receive(2, (id) => `{\n  "update_id":${id},\r\n "note": "a\\nb  "}`);
    await readTo(3);
    await clock.advance(60_000);
    await receive();
    await readTo(4);
    // Earlier updates are not written: the reader starts at the end of the log.
    expect(textOf(today)).toBe(
      [2, 3]
        .map(
          (id) =>
            `{"bot_id":${bot.id},"position":${id},"received_at":"2030-01-31T23:59:00.000Z","update":{   "update_id":${updates - 4 + id},   "note": "a\\nb  "}}\n`,
        )
        .join(''),
    );
    expect(linesOf('2030-02-01')).toEqual([
      {
        bot_id: bot.id,
        position: 4,
        received_at: '2030-02-01T00:00:00.000Z',
        update: { update_id: updates },
      },
    ]);
  });

  it('keeps up with more than it takes at once', async () => {
    await begin();
    await receive(450);
    await readTo(450);
    expect(positionsOf(today)).toEqual(Array.from({ length: 450 }, (_, index) => index + 1));
  });

  it('removes what a crash left of a line', async () => {
    await exporter.prepare(bot);
    mkdirSync(path.dirname(fileOf(today)), { recursive: true });
    const whole = `{"bot_id":${bot.id},"position":7,"received_at":"","update":{}}\n`;
    // Longer than one read.
    writeFileSync(fileOf(today), `${whole}{"bot_id":1,"text":"${'x'.repeat(200_000)}`);
    await begin();
    await receive(1);
    await readTo(1);
    expect(positionsOf(today)).toEqual([7, 1]);
    await exporter.run?.stop(bot.id);
    writeFileSync(fileOf(today), 'half of the only line');
    await begin();
    await receive(1);
    await readTo(2);
    expect(positionsOf(today)).toEqual([2]);
  });

  it('writes again what was not committed, and nothing is missing', async () => {
    await begin();
    await receive(3);
    await readTo(3);
    await exporter.run?.stop(bot.id);
    // As if the last commit had been lost.
    await store.engine.write(() => raw('update readers set position = 1'));
    await begin();
    await readTo(3);
    expect(positionsOf(today)).toEqual([1, 2, 3, 2, 3]);
  });

  it('tells why it is behind while nothing can be written, and goes on when it can', async () => {
    writeFileSync(path.dirname(path.dirname(folder)), 'a file where a folder should be');
    await begin();
    await receive(2);
    await vi.waitFor(async () => expect(failureOf((await reader())?.state ?? '')).toBe('ENOTDIR'), {
      interval: 5,
    });
    expect(await reader()).toMatchObject({ position: 0 });
    // Ever less often.
    await advanceUntil(clock, () => failures.length >= 5, 500);
    const tried = failures.length;
    await clock.advance(10_000);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(failures.length).toBeLessThanOrEqual(tried + 1);
    rmSync(path.dirname(path.dirname(folder)));
    await advanceUntil(clock, async () => (await reader())?.position === 2, 10_000);
    expect(await reader()).toMatchObject({ state: '' });
    expect(positionsOf(today)).toEqual([1, 2]);
  });

  it('reads where it was set to', async () => {
    await receive(3);
    await begin();
    await store.readers.rewind(bot.id, 'export', 1, clock.now());
    await exporter.onMoved(bot.id, 'export');
    await readTo(3);
    expect(positionsOf(today)).toEqual([2, 3]);
  });

  it('leaves nothing behind that retention would wait for, once it is switched off', async () => {
    await begin();
    await receive();
    await readTo(1);
    await exporter.run?.stopAll();
    await exporter.start?.();
    expect(await reader()).toBeDefined();
    const off = createNode('');
    await off.start?.();
    await off.prepare(bot);
    await off.run?.apply(bot, 1);
    expect(await reader()).toBeUndefined();
    expect(off.isActive(bot, 'export')).toBe(false);
    expect(exporter.isActive(bot, 'export')).toBe(true);
    expect(exporter.isActive(bot, 'export:other')).toBe(false);
  });

  it('does not touch what others wrote into the folder', async () => {
    await begin();
    await receive();
    await readTo(1);
    appendFileSync(fileOf(today), '{"position":0}\n');
    await receive();
    await readTo(2);
    expect(positionsOf(today)).toEqual([1, 0, 2]);
  });
});
