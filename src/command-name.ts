import { existsSync } from 'node:fs';
import path from 'node:path';
import { readCommandEnvironment } from './config.ts';
import { packageRoot } from './package-root.ts';

interface Start {
  /** A clone has the sources. */
  isClone: boolean;
  cwd: string;
  env: NodeJS.ProcessEnv;
}

/**
 * Returns the text to type for this command: a clone does not put `bot-relay` on the PATH, and
 * neither does npx.
 */
export function commandNameFor({ isClone, cwd, env }: Start): string {
  if (!isClone) return env['npm_command'] ? 'npx bot-relay' : 'bot-relay';
  const program = path.join(packageRoot, 'bin', 'bot-relay.js');
  const fromHere = path.relative(cwd, program);
  return `node ${fromHere.startsWith('..') ? program : fromHere}`;
}

const isClone = existsSync(path.join(packageRoot, 'src', 'cli.ts'));
const env = readCommandEnvironment();

export const commandName = commandNameFor({ isClone, cwd: process.cwd(), env });

/** The command for pages that anyone may read, which must not show where a clone is on this machine. */
export const publicCommandName = commandNameFor({ isClone, cwd: packageRoot, env });
