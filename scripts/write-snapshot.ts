// `npm run docs`: writes the types of the API, and adds new parts of the API, the settings and the
// metrics to the snapshot that guards them. It never removes or changes an entry: that is done by
// hand, in the same commit as its reason.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readSettings, toConfig } from '../src/config.ts';
import { createLogger } from '../src/logger.ts';
import { startService } from '../src/main.ts';
import { servedSurface } from '../test/contract/served-surface.ts';
import { writeApiTypes } from './write-api-types.ts';
import { brokenPromises, type Surface, withAdditions } from '../test/contract/surface.ts';

const file = new URL('../test/contract/snapshot.json', import.meta.url);
const dataDir = mkdtempSync(path.join(tmpdir(), 'bot-relay-'));
const env = { PORT: '0', RELAY_DATA_DIR: dataDir };
const config = toConfig(readSettings({ env, workingDir: dataDir }));
const service = await startService(config, { logger: createLogger({ level: 'silent' }) });
try {
  await writeApiTypes(service.address);
  const served = await servedSurface(service);
  const promised = JSON.parse(readFileSync(file, 'utf8')) as Surface;
  writeFileSync(file, `${JSON.stringify(withAdditions(promised, served), null, 2)}\n`);
  const broken = brokenPromises(promised, served);
  for (const line of broken) console.error(line);
  if (broken.length > 0) process.exitCode = 1;
} finally {
  await service.close();
  rmSync(dataDir, { recursive: true, force: true });
}
