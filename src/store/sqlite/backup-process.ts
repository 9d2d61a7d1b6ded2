import { fork } from 'node:child_process';
import { programFile } from '../../package-root.ts';

export interface WrittenBackup {
  schema: number;
  bytes: number;
}

interface Answer extends Partial<WrittenBackup> {
  error?: { message: string; code?: string; errcode?: number };
}

/**
 * Copies the database into `target` and verifies the copy, in a process that can be ended at any
 * moment; the copy gets that name only once it is verified. Errors have the code of the system or
 * of SQLite, or NOT_SOUND.
 */
export async function backUpInProcess(
  files: { source: string; draft: string; target: string },
  signal: AbortSignal,
): Promise<WrittenBackup> {
  signal.throwIfAborted();
  const { source, draft, target } = files;
  // The flags and environment of the service do not concern this process.
  const child = fork(programFile('store/sqlite/backup-worker'), [source, draft, target], {
    execArgv: [],
    env: {},
    stdio: 'ignore',
  });
  const { promise, resolve, reject } = Promise.withResolvers<WrittenBackup>();
  const end = () => void child.kill('SIGKILL');
  signal.addEventListener('abort', end, { once: true });
  child.on('message', ({ error, schema = 0, bytes = 0 }: Answer) => {
    if (error) reject(Object.assign(new Error(error.message), error));
    else resolve({ schema, bytes });
  });
  child.on('error', reject);
  child.on('exit', (code, by) =>
    reject(new Error(`the process that writes it ended with ${by ?? `code ${code}`}`)),
  );
  try {
    return await promise;
  } finally {
    signal.removeEventListener('abort', end);
  }
}
