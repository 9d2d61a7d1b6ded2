import path from 'node:path';
import { readSettings, toConfig } from '../../../src/config.ts';
import { createPasswords } from '../../../src/core/access/passwords.ts';
import type { RecordedCall } from '../../../src/http/openapi/recorded-examples.ts';
import { createLogger } from '../../../src/logger.ts';
import { startService } from '../../../src/main.ts';
import { tellStory } from './story.ts';

/** Runs the story on a new service. Values that differ each time, or are secret, are replaced. */
export async function recordStory(dataDir: string): Promise<Record<string, RecordedCall>> {
  const backups = path.join(dataDir, 'backups');
  const env = {
    PORT: '0',
    RELAY_DATA_DIR: dataDir,
    RELAY_PUSH_GIVE_UP: '5s',
    RELAY_BACKUP_DIR: backups,
  };
  const lines: string[] = [];
  const service = await startService(toConfig(readSettings({ env, workingDir: dataDir })), {
    logger: createLogger({ level: 'silent' }),
    passwords: createPasswords({ cost: 2, blockSize: 1, parallelization: 1 }),
    sandboxSeed: 7,
    announce: (line) => lines.push(line),
  });
  try {
    const [, setupToken = ''] = /\/setup#token=([\w-]+)/.exec(lines.join('\n')) ?? [];
    const calls = await tellStory(service, setupToken);
    return JSON.parse(
      published(JSON.stringify(calls).replaceAll(backups, '/var/backups/relay')),
    ) as Record<string, RecordedCall>;
  } finally {
    await service.close();
  }
}

function published(text: string): string {
  return text
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+\/updates/g, 'https://backend.example.com/updates')
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, 'https://relay.example.com')
    .replaceAll(/\b(\d{6,}):[\w-]{30,}/g, '$1:AAExampleTokenFromBotFather')
    .replaceAll(/brs_[\w-]{20,}/g, 'brs_ExampleKeyThatIsNotReal')
    .replaceAll(/"csrf_token":"[\w-]+"/g, '"csrf_token":"ExampleCsrfToken"')
    .replaceAll(/"token":"[\w-]{30,}"/g, '"token":"ExampleSetupToken"')
    .replaceAll(/(request_id\\*":\\*")[\w-]+/g, '$1q3Jx0a9B-1k')
    .replaceAll(/hash(=|%3D)[0-9a-f]{64}/g, `hash$1${'0a1b2c3d'.repeat(8)}`);
}

/** Whether two values have the same fields of the same types, and the same sentences. */
export function sameShape(one: unknown, other: unknown): boolean {
  return JSON.stringify(shapeOf(one)) === JSON.stringify(shapeOf(other));
}

export function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? [] : [shapeOf(value[0])];
  if (value === null) return 'null';
  if (typeof value === 'string' && value.includes(' ')) return value.replaceAll(/\d+/g, '0');
  if (typeof value !== 'object') return typeof value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, part]) => [name, shapeOf(part)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}
