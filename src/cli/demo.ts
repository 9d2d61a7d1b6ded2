import type { Command } from 'commander';
import type { Demo } from '../demo/demo.ts';
import { version } from '../version.ts';
import { seedArgument } from './arguments.ts';
import type { ContextOf } from './context.ts';
import { endWithin } from './end-within.ts';
import type { Output } from './output.ts';
import { stopSignal } from './start.ts';

const defaultDataDir = './data-demo';

interface Options {
  data?: string;
  keep?: true;
  seed?: number;
  still?: true;
}

export function addDemoCommand(program: Command, contextOf: ContextOf): void {
  program
    .command('demo')
    .description('start the service with a lively world of practice bots and people')
    .option('--keep', `keep the world in ${defaultDataDir} and go on with it next time`)
    .option('--data <dir>', 'the same in another directory')
    .option('--seed <number>', 'another seed, another story', seedArgument)
    .option('--still', 'fill the world, then let nothing more happen')
    .addHelpText(
      'after',
      `
It takes --host, --port, --log-level and the admin key, and no other setting, so that it cannot touch
real bots.

Examples:
  bot-relay demo
  bot-relay demo --port 9000 --keep
`,
    )
    .action(async (options: Options, command: Command) => {
      const { config, isGiven, output } = contextOf(command);
      const { host, port, logLevel, adminKey } = config();
      const { startDemo } = await import('../demo/demo.ts');
      const stopped = stopSignal();
      // Deliveries fail on purpose here; that they do is shown by the page, not by the log.
      const level = isGiven('logLevel') ? logLevel : 'error';
      const keeps = options.data ?? (options.keep ? defaultDataDir : '');
      const demo = await startDemo({
        settings: { host, port, adminKey, logLevel: level },
        dataDir: keeps,
        ...(options.seed === undefined ? {} : { seed: options.seed }),
        ...(options.still ? { pauseMs: 0 } : {}),
      });
      describe(demo, keeps, output);
      output.line('Filling the world …');
      const outcome = await Promise.race([
        stopped,
        demo.filled.then(
          () => output.line('The world is filled. Ctrl-C ends the demo.'),
          (error: unknown) => error,
        ),
      ]);
      if (outcome === undefined) await stopped;
      await endWithin(() => demo.close(), output);
      if (outcome instanceof Error) throw outcome;
    });
}

function describe({ service, signIn }: Demo, keeps: string, output: Output): void {
  const once = keeps === '' ? '' : '  (shown only this once)';
  output.line(`The demo of Bot Relay ${version} is ready at ${service.address}`);
  const { username, password } = signIn;
  output.line(`  Sign in    ${service.address}/sign-in as "${username}", password ${password}`);
  if (service.firstKey !== '') output.line(`  Admin key  ${service.firstKey}${once}`);
  output.line(
    keeps === ''
      ? 'Its world is made up and goes when the demo ends; --keep keeps it.'
      : `Its world is made up and kept in ${keeps}.`,
  );
}
