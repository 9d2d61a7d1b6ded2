import { readCommandEnvironment } from '../config.ts';

/** The surroundings of a command; tests pass their own. */
export interface Surroundings {
  env: NodeJS.ProcessEnv;
  stdin: AsyncIterable<unknown>;
  out(text: string): void;
  err(text: string): void;
  /** True if a person can be asked. */
  interactive: boolean;
  colours: boolean;
}

export function processSurroundings(): Surroundings {
  // Databases, keys and backups are readable only for the user who made them.
  process.umask(0o077);
  const env = readCommandEnvironment();
  const { stdin, stdout, stderr } = process;
  for (const stream of [stdout, stderr]) stream.on('error', whenNobodyReads);
  return {
    env,
    stdin,
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    interactive: stdin.isTTY === true && stdout.isTTY === true,
    colours: stdout.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb',
  };
}

/** The reader closed the output, as "| head" does; the command still runs to its end. */
function whenNobodyReads(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}
