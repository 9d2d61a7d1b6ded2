import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { checkNames, checkWords, retiredNames, retiredWords } from '../../scripts/check-words.ts';
import { temporaryFolder } from '../support/relay-process.ts';

describe('the check of retired words', () => {
  const folder = temporaryFolder();
  afterAll(() => folder.remove());

  it.each([
    ['web/src/i18n/en/overview.ts', "export const overview = {\n  title: 'Pulse',\n};\n"],
    ['src/core/reasons/delivery.ts', 'const a = {\n  b: `Send ${id} anew.`,\n};\n'],
    ['sandbox/src/control-reasons.ts', "const a = [\n409, 'No telephone here.'];\n"],
    ['src/cli/readers.ts', 'print(\n  "It stands at 3.",\n);\n'],
    ['src/demo/lines.ts', "const a =\n  'Whoever comes first';\n"],
    ['src/config/settings.ts', "const a =\n  'How long until it is given up.';\n"],
    ['src/http/api/delivery/queues.ts', "const a =\n  'Chats that are parked.';\n"],
    ['README.md', '# Bot Relay\nThe courier brings it.\n'],
    ['docs/route.md', '# Route\nThe way back.\n'],
    ['CHANGELOG.md', '# Changelog\nA verdict is stored.\n'],
    ['src/store/log/log.ts', 'const a = 1;\n// The range is built anew.\n'],
    ['sandbox/src/world/polls.ts', 'const a = 1;\n/** A poll is never kept for\n * ever. */\n'],
    ['web/src/ui/tile.tsx', 'const a = (\n  {/* Whoever asks. */}\n'],
    ['web/src/ui/ui.module.css', '.a {}\n/* Its width hangs on the text. */\n'],
  ])('finds one in %s', (file, text) => {
    const target = path.join(folder.path, file);
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, text);
    expect(checkWords(folder.path).filter((one) => one.startsWith(`${file}:2 `))).toHaveLength(1);
    writeFileSync(target, '');
  });

  it('leaves names of the API alone', () => {
    expect(retiredWords('documents', 'Read `heeds`.\n```sh\necho poked\n```\n')).toEqual([]);
    expect(retiredWords('code', "const a = ['poked', 'See `poked`.']; // poked\n")).toEqual([]);
    expect(retiredWords('comments', '// See `heeds`; the caller gave up.\nheeds(anew);\n')).toEqual(
      [],
    );
  });

  it.each([
    ["kind: 'chats_parked',", 'chats_in_retry'],
    ['const { parked } = queues;', 'retry_queues, in_retry'],
    ['const parkedQueues = 1;', 'retry_queues, in_retry'],
    ['GET /api/vitals', 'live-metrics, live_metrics'],
    ['{"wishes":[]}', 'allowedUpdatesHistory'],
    ['`reader_behind`', 'polling_stopped'],
    ['app_silent: true', 'app_not_seen'],
    ['RELAY_ALERT_READER_BEHIND=5', 'RELAY_ALERT_READER_LAG'],
    ['--alert-app-silent 5m', 'RELAY_ALERT_APP_NOT_SEEN'],
  ])('finds the name of before 1.0 in %s', (text, instead) => {
    expect(retiredNames(`\n${text}\n`)).toMatchObject([{ line: 2, instead }]);
  });

  it('leaves other names alone, and looks everywhere but where old names are told', () => {
    expect(retiredNames('relay_reader_behind_updates, a vital lease, sparked')).toEqual([]);
    for (const file of [
      'web/src/api/a.ts',
      'docs/a.md',
      'CHANGELOG.md',
      'src/config/settings.ts',
    ]) {
      const target = path.join(folder.path, file);
      mkdirSync(path.dirname(target), { recursive: true });
      writeFileSync(target, '/api/vitals\n');
    }
    expect(checkNames(folder.path).map((line) => line.split(' ')[0])).toEqual([
      'docs/a.md:1',
      'web/src/api/a.ts:1',
    ]);
  });
});
