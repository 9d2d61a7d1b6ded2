import { readCommandEnvironment } from '../config.ts';

/** What a command has around it; tests hand in their own. */
export interface Surroundings {
  env: NodeJS.ProcessEnv;
  stdin: AsyncIterable<unknown>;
  out(text: string): void;
  err(text: string): void;
  /** A person sits there and can be asked. */
  interactive: boolean;
  colours: boolean;
}

export function processSurroundings(): Surroundings {
  // Databases, keys and backups are for the user who made them alone.
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

/** As with "| head": the reader has closed the output; the command still runs to its end. */
function whenNobodyReads(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}
