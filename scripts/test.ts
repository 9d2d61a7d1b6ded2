// `npm test`: the checks run beside the tests, which mostly wait for processes and a browser. What
// the checks print comes last.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const { resolve } = createRequire(path.join(root, 'test', 'package.json'));
const vitest = path.join(path.dirname(resolve('vitest/package.json')), 'vitest.mjs');

const [checks, tests] = await Promise.all([
  run(['scripts/check.ts'], 'pipe'),
  run([vitest, 'run', ...process.argv.slice(2)], 'inherit'),
]);
process.stdout.write(`\n${checks.output}`);
process.exitCode = checks.code || tests.code;

/** A process that a signal ended counts as failed. */
function run(
  args: string[],
  output: 'pipe' | 'inherit',
): Promise<{ code: number; output: string }> {
  return new Promise((settle, fail) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', output, output] });
    let printed = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        printed += chunk.toString();
      });
    }
    child.on('error', fail);
    child.on('close', (code) => settle({ code: code ?? 1, output: printed }));
  });
}
