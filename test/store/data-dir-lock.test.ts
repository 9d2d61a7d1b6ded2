import { readdirSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { lockDataDir } from '../../src/store/sqlite/data-dir-lock.ts';
import { temporaryFolder } from '../support/relay-process.ts';

it('the lock of a data directory keeps others out, with nothing beside it that a crash would leave', () => {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const unlock = lockDataDir(folder.path);
  expect(readdirSync(folder.path)).toEqual(['relay.lock']);
  expect(() => lockDataDir(folder.path)).toThrow(/is in use by another Bot Relay/);
  unlock();
  lockDataDir(folder.path)();
});
