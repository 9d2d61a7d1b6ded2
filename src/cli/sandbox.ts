import { writeFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { openDirectory } from '../manage/ops/data-directory.ts';
import { firstStep } from '../../sandbox/src/first-step.ts';
import type { Sandbox } from '../../sandbox/src/sandbox.ts';
import { seedArgument } from './arguments.ts';
import { UsageError } from './ask.ts';
import type { ContextOf } from './context.ts';
import { endWithin } from './end-within.ts';
import type { Output } from './output.ts';
import { stopSignal } from './start.ts';

const defaultPort = 8081;

interface Options {
  data?: string;
  seed?: number;
  strictWebhooks?: true;
  floodLimits?: true;
  empty?: true;
}

export function addSandboxCommand(program: Command, contextOf: ContextOf): void {
  program
    .command('sandbox')
    .description('run the Telegram sandbox alone, as a local Bot API server for any bot library')
    .option('--data <file>', 'keep its world in this file; without it, in memory')
    .option('--seed <number>', 'the same tokens, ids and dice at every start', seedArgument)
    .option('--strict-webhooks', 'take only https webhooks on the ports that Telegram takes')
    .option('--flood-limits', 'answer 429 when a bot sends faster than Telegram allows')
    .option('--empty', 'begin without the practice bot and the person')
    .addHelpText(
      'after',
      `
It listens on --host and --port (default ${defaultPort}). Point a bot library's API root there.
A new world has one practice bot and one person; docs/sandbox.md tells what else can be done.

Examples:
  bot-relay sandbox --seed 1
  bot-relay sandbox --port 9081 --data world.json
`,
    )
    .action(async (options: Options, command: Command) => {
      const { config, isGiven, output } = contextOf(command);
      const { host, port } = config();
      const { createSandbox } = await import('../../sandbox/src/sandbox.ts');
      const sandbox = createSandbox({
        ...(options.seed === undefined ? {} : { seed: options.seed }),
        strictWebhookUrls: options.strictWebhooks === true,
      });
      if (options.data) await keepIn(sandbox, options.data);
      if (options.floodLimits) {
        const { TELEGRAM_LIMITS } = await import('../../sandbox/src/faults/flood.ts');
        sandbox.flood.set(TELEGRAM_LIMITS);
      }
      const { state } = sandbox.world;
      if (!options.empty && state.bots.size === 0 && state.users.size === 0) populate(sandbox);
      const listening = await sandbox.listen({ host, port: isGiven('port') ? port : defaultPort });
      // Whoever reads that it is ready may stop it at once, and its world has to be kept.
      const stopped = stopSignal();
      output.line(`The sandbox is ready at ${listening.url}`);
      describeWorld(sandbox, listening.url, output);
      if (!isLoopback(host)) {
        output.note('bot-relay: whoever reaches this address can act as every user of the sandbox');
      }
      await stopped;
      await endWithin(() => sandbox.close(), output);
    });
}

/** A file that cannot be read or written is said now, not when the first change is lost. */
async function keepIn(sandbox: Sandbox, file: string): Promise<void> {
  openDirectory(path.dirname(file), '--data ./world.json');
  try {
    const probe = `${file}.probe`;
    writeFileSync(probe, '', { mode: 0o600 });
    rmSync(probe);
    await sandbox.persistTo(file);
  } catch (error) {
    throw new UsageError(`--data: ${file} cannot be used: ${(error as Error).message}`);
  }
}

/** Nobody begins with an empty world: there is somebody to talk with, and a token to start with. */
function populate(sandbox: Sandbox): void {
  sandbox.createBot({ username: 'practice_bot', first_name: 'Practice' });
  sandbox.createUser({ first_name: 'Anna', username: 'anna' });
}

const mostShown = 5;

function describeWorld(sandbox: Sandbox, url: string, output: Output): void {
  const { bots } = sandbox.snapshot();
  for (const bot of bots.slice(0, mostShown)) output.line(`  @${bot.username}  ${bot.token}`);
  if (bots.length > mostShown) output.line(`  and ${bots.length - mostShown} more bots`);
  const { title, command } = firstStep(sandbox, url);
  output.line(title);
  output.line(`  ${command}`);
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}
