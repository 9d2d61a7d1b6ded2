// `npm run docs`: records the examples of the API reference. An example whose shape is still true stays as
// it is, so that only real changes show.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RecordedCall } from '../src/http/openapi/recorded-examples.ts';
import { recordStory, sameShape } from '../test/contract/story/record.ts';

const file = fileURLToPath(new URL('../src/http/openapi/recorded-examples.json', import.meta.url));
const dataDir = mkdtempSync(path.join(tmpdir(), 'bot-relay-'));
try {
  const told = await recordStory(dataDir);
  const known = JSON.parse(readFileSync(file, 'utf8')) as Record<string, RecordedCall>;
  const examples = Object.entries(told).map(([name, call]) => {
    const before = known[name];
    if (before && sameShape(before, call)) return [name, before];
    console.log(`recorded ${name}`);
    return [name, call];
  });
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(examples), null, 2)}\n`);
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}
