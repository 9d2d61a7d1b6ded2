import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { checkWords, retiredWords } from '../../scripts/check-words.ts';
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
  ])('finds one in %s', (file, text) => {
    const target = path.join(folder.path, file);
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, text);
    expect(checkWords(folder.path).filter((one) => one.startsWith(`${file}:2 `))).toHaveLength(1);
    writeFileSync(target, '');
  });

  it('leaves names of the API alone', () => {
    expect(retiredWords('documents', 'Read `chats_parked`.\n```sh\necho parked\n```\n')).toEqual(
      [],
    );
    expect(retiredWords('code', "const a = ['parked', 'See `parked`.']; // parked\n")).toEqual([]);
  });
});
