import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sourceLauncher, startRelay, temporaryFolder } from '../support/relay-process.ts';

describe('the launcher', () => {
  // Only Linux shows the arguments of another process.
  it.runIf(process.platform === 'linux')('gives the service its V8 flags', async () => {
    const folder = temporaryFolder();
    onTestFinished(folder.remove);
    const env = { RELAY_DATA_DIR: folder.path, RELAY_SANDBOX: 'off', RELAY_LOG_LEVEL: 'silent' };
    const service = await startRelay(env);
    const file = readFileSync(path.join(folder.path, 'service.json'), 'utf8');
    const { pid } = JSON.parse(file) as { pid: number };
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    const parent = /PPid:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    const { code, stderr } = await service.stop();
    expect(command).toContain('--max-semi-space-size=16');
    expect(command).toContain('--no-allocation-site-pretenuring');
    expect(command.includes(heapFlag)).toBe(heapLimitOfNode() > 2_400 * 2 ** 20);
    // The process that was started is the service, so a signal reaches it and its exit code is seen.
    expect(Number(parent)).toBe(process.pid);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  const heapFlag = '--max-old-space-size=2000';

  /** What V8 takes on this machine when nobody says anything. */
  function heapLimitOfNode(): number {
    const script = 'v8.getHeapStatistics().heap_size_limit';
    return Number(execFileSync(process.execPath, ['-p', script], { env: {} }).toString());
  }

  it('runs the sources of a clone, and leaves a heap limit that somebody has set', async () => {
    const folder = temporaryFolder();
    onTestFinished(folder.remove);
    const env = {
      NODE_OPTIONS: '--max-old-space-size=3000',
      RELAY_DATA_DIR: folder.path,
      RELAY_LOG_LEVEL: 'silent',
    };
    const service = await startRelay(env, { command: [process.execPath, sourceLauncher] });
    const command =
      process.platform === 'linux' ? readFileSync(`/proc/${service.pid}/cmdline`, 'utf8') : '';
    expect(await service.stop()).toMatchObject({ code: 0, stderr: '' });
    expect(command.split('\0')).not.toContain(heapFlag);
  });
});
