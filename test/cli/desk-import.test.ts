import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { createMachine } from '../support/command.ts';

it('desks import reports what it takes over, and stores nothing in a dry run', async () => {
  const machine = await createMachine();
  const { folder, json, run, token } = machine;
  await json(['bots', 'add', '--name', 'Shop', '--token-stdin'], `${token}\n`);
  await run(['desks', 'add', '--chat', '-1001', '--desk-bot', '1', '--bots', '1']);
  const file = path.join(folder, 'storage.db');
  const db = new DatabaseSync(file);
  db.exec('create table topics (id integer primary key, user_id integer, thread_id integer)');
  db.exec('insert into topics (user_id, thread_id) values (7, 40), (8, 41), (7, 42), (null, 43)');
  db.close();

  const bring = (...more: string[]) => run(['desks', 'import', '1', file, '--bot', '1', ...more]);
  const conflict = '  Customer 7, topic 42: The customer has topic 40, which stays.\n';
  const counted = (added: number, known: number) =>
    `(BetterForward): ${added} added, ${known} unchanged, 1 conflicts, 1 without a customer.\n`;
  const dry = `This is a dry run, nothing is stored ${counted(2, 0)}${conflict}`;
  expect(await bring('--dry-run')).toMatchObject({ code: 0, stdout: dry });
  const done = (added: number, known: number) =>
    `Imported ${file} ${counted(added, known)}${conflict}`;
  expect((await bring()).stdout).toBe(done(2, 0));
  expect((await bring()).stdout).toBe(done(0, 2));
  expect(await json(['desks', 'import', '1', file, '--bot', '1'])).toMatchObject({
    source: 'BetterForward',
    known: 2,
    skipped: 1,
  });
  const missing = await run(['desks', 'import', '1', `${file}.old`, '--bot', '1']);
  expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('not found') });
});
