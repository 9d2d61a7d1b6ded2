import { rmSync, writeFileSync } from 'node:fs';
import { telegramLimits } from './faults/flood.ts';
import { firstStep } from './first-step.ts';
import type { ListenOptions } from './http/listen.ts';
import { createSandbox, type Sandbox } from './sandbox.ts';
import type { StartOptions } from './start-options.ts';

/** The file of `--data` cannot be read or written. */
export class UnusableData extends Error {}

export interface StartedSandbox {
  sandbox: Sandbox;
  /** The lines to print at start. */
  lines: string[];
  warnings: string[];
}

/** Starts a stand-alone sandbox, for `npm start -w sandbox` and `bot-relay sandbox`. */
export async function startSandbox(
  options: StartOptions,
  { host, port }: Required<Pick<ListenOptions, 'host' | 'port'>>,
): Promise<StartedSandbox> {
  const sandbox = createSandbox({
    ...(options.seed === undefined ? {} : { seed: options.seed }),
    strictWebhookUrls: options.strictWebhooks === true,
  });
  if (options.data) await keepIn(sandbox, options.data);
  if (options.floodLimits) sandbox.flood.set(telegramLimits);
  const { state } = sandbox.world;
  if (!options.empty && state.bots.size === 0 && state.users.size === 0) populate(sandbox);
  const { url } = await sandbox.listen({ host, port });
  return {
    sandbox,
    lines: [`The sandbox is ready at ${url}`, ...describeWorld(sandbox, url)],
    warnings: isLoopback(host)
      ? []
      : ['anyone who can reach this address can act as anyone in the sandbox'],
  };
}

/** Reports an unreadable or unwritable file at start, not when the first change is lost. */
async function keepIn(sandbox: Sandbox, file: string): Promise<void> {
  try {
    const probe = `${file}.probe`;
    writeFileSync(probe, '', { mode: 0o600 });
    rmSync(probe);
    await sandbox.persistTo(file);
  } catch (error) {
    throw new UnusableData(`--data: ${file} cannot be used: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** Gives a new world a person and a bot with a token. */
function populate(sandbox: Sandbox): void {
  sandbox.createBot({ username: 'practice_bot', first_name: 'Practice' });
  sandbox.createUser({ first_name: 'Anna', username: 'anna' });
}

const maxShown = 5;

function describeWorld(sandbox: Sandbox, url: string): string[] {
  const { bots } = sandbox.snapshot();
  const { title, command } = firstStep(sandbox, url);
  return [
    ...bots.slice(0, maxShown).map((bot) => `  @${bot.username}  ${bot.token}`),
    ...(bots.length > maxShown ? [`  and ${bots.length - maxShown} more bots`] : []),
    title,
    `  ${command}`,
  ];
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}
