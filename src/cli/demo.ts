import type { Command } from './command.ts';
import type { Demo } from '../demo/demo.ts';
import { version } from '../version.ts';
import { seedArgument } from './arguments.ts';
import { helpWithOnly, refuseAddress } from './context.ts';
import type { Output } from './output.ts';
import { endWithin, stopSignal } from './start.ts';

const defaultDataDir = './data-demo';

interface Options {
  data?: string;
  keep?: true;
  seed?: number;
  still?: true;
}

export function addDemoCommand(program: Command): void {
  program
    .command('demo')
    .configureHelp(helpWithOnly('host', 'port', 'logLevel', 'adminKey'))
    .description('start a demo with practice bots, people and messages')
    .option('--keep', `keep the demo data in ${defaultDataDir} for the next run`)
    .option('--data <dir>', 'keep the demo data in this directory')
    .option('--seed <number>', 'random seed: the same seed gives the same story', seedArgument)
    .option('--still', 'create the data, then stop the activity')
    .addHelpText(
      'after',
      `
It takes no other settings, so it never touches real bots.

Examples:
  bot-relay demo
  bot-relay demo --port 9000 --keep
`,
    )
    .action(async (options: Options, command: Command) => {
      const advice = 'Set its address with --host and --port.';
      refuseAddress(command, 'demo runs a service on this machine', advice);
      const { config, isGiven, output } = command.context;
      const { host, port, logLevel, adminKey } = config();
      const { startDemo } = await import('../demo/demo.ts');
      const stopped = stopSignal();
      // Deliveries fail on purpose here; the web UI shows them, so the log need not.
      const level = isGiven('logLevel') ? logLevel : 'error';
      const keeps = options.data ?? (options.keep ? defaultDataDir : '');
      const demo = await startDemo({
        settings: { host, port, adminKey, logLevel: level },
        dataDir: keeps,
        ...(options.seed === undefined ? {} : { seed: options.seed }),
        ...(options.still ? { pauseMs: 0 } : {}),
      });
      describe(demo, keeps, output);
      output.line('Creating demo data …');
      const outcome = await Promise.race([
        stopped,
        demo.filled.then(
          () => output.line('Demo data is ready. Press Ctrl-C to stop.'),
          (error: unknown) => error,
        ),
      ]);
      if (outcome === undefined) await stopped;
      await endWithin(() => demo.close(), output);
      if (outcome instanceof Error) throw outcome;
    });
}

function describe({ service, signIn }: Demo, keeps: string, output: Output): void {
  const once = keeps === '' ? '' : '  (shown once)';
  output.line(`Bot Relay ${version} demo is ready at ${service.address}`);
  const { username, password } = signIn;
  output.line(`  Sign in    ${service.address}/sign-in as "${username}", password ${password}`);
  if (service.firstKey !== '') output.line(`  Admin key  ${service.firstKey}${once}`);
  output.line(
    keeps === ''
      ? 'All data is fictional and is deleted when the demo stops. Keep it with --keep.'
      : `All data is fictional and is stored in ${keeps}.`,
  );
}
