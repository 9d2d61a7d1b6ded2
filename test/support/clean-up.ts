// Runs before each test file, which gets its own temporary directory; files left in it fail the test.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, inject } from 'vitest';
import { waitPatiently } from './wait-patiently.ts';

waitPatiently();

const folder = mkdtempSync(path.join(inject('runFolder'), 'file-'));
process.env['TMPDIR'] = folder;
// Chromium may end before it removed its own; that goes with the run.
process.env['CHROMIUM_TMPDIR'] = inject('runFolder');

afterAll(() => {
  const left = readdirSync(folder);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  if (left.length > 0) throw new Error(`left in the temporary directory: ${left.join(', ')}`);
});
