import { type Reason, reason } from '../core/reasons/reason.ts';
import type { Command } from './command.ts';
import { settings } from '../config/settings.ts';
import { RelayError } from '../errors.ts';
import { type Given, helpWithSettings, refuseAddress } from './context.ts';
import type { Output } from './output.ts';

/** One press of Ctrl-C may arrive twice: from the terminal and through npm. */
const samePressMs = 300;

/** After this time every bot polls. */
const quietMs = 15_000;
/** The load of the event loop that counts as quiet: 10,000 idle bots cause 0.04. */
const quietShare = 0.1;

export function addStartCommand(program: Command): void {
  program
    .command('start')
    .description('start the service')
    .configureHelp(helpWithSettings)
    .addHelpText(
      'after',
      '\nExamples:\n  bot-relay start\n  bot-relay start --port 9000 --data-dir /var/lib/bot-relay\n',
    )
    .action(async (_options, command: Command) => {
      const advice = 'Set its address with --host and --port.';
      refuseAddress(command, 'start runs the service on this machine', advice);
      const { config, output, unknownVariables } = command.context;
      for (const line of unknownVariables()) output.note(`bot-relay: ${line}`);
      const settled = config();
      const { startService } = await import('../main.ts');
      let stopped: Promise<void> | undefined;
      const service = await startService(settled, {
        announce(line) {
          // Listen for signals first: a caller may stop it as soon as it reads "ready", and it must
          // still shut down cleanly.
          stopped ??= stopSignal();
          output.line(line);
        },
      });
      collectGarbageOnceQuiet();
      await (stopped ?? stopSignal());
      await endWithin(() => service.close(), output);
    });
}

/**
 * Collects the garbage of the start, which V8 keeps while little happens: 36 MB of 97 in a service
 * without bots. This pauses the service once, for about 0.1 s; a busy service collects by itself.
 */
function collectGarbageOnceQuiet(): void {
  let measured = performance.eventLoopUtilization();
  const timer = setInterval(() => {
    const { utilization } = performance.eventLoopUtilization(measured);
    measured = performance.eventLoopUtilization();
    if (utilization > quietShare) return;
    clearInterval(timer);
    // If the runtime does not allow it, that deserves no message.
    collectGarbage().catch(() => undefined);
  }, quietMs).unref();
}

async function collectGarbage(): Promise<void> {
  const { Session } = await import('node:inspector/promises');
  const session = new Session();
  session.connect();
  try {
    await session.post('HeapProfiler.collectGarbage');
  } finally {
    session.disconnect();
  }
}

/** Resolves at the first signal; the second ends the process at once. */
export function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    let askedAt = 0;
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        // This tells the launcher under an older Node, which otherwise forwards the signal.
        // The launcher may be killed at this very moment.
        if (process.connected) process.send?.('signalled', () => {});
        const now = performance.now();
        if (askedAt === 0) {
          askedAt = now;
          resolve();
        } else if (now - askedAt > samePressMs) {
          process.exit(130);
        }
      });
    }
  });
}

const drainMs = 5_000;
const drainTicks = 10;

/** Stops everything, then ends the process even if something still runs. */
export async function endWithin(
  close: () => Promise<void>,
  output: Output,
  withinMs = drainMs,
): Promise<void> {
  // Count ticks instead of time: a process that was paused meanwhile has had no time to end.
  let ticks = 0;
  const timer = setInterval(() => {
    if (++ticks < drainTicks) return;
    output.note('bot-relay: shutdown took over 5 s, exiting');
    process.exit(1);
  }, withinMs / drainTicks);
  // Begin a new line, because the terminal has just shown ^C.
  if (output.watched) output.line('\nStopping …');
  await close();
  if (output.watched) output.line('Stopped.');
  clearInterval(timer);
  // A timer or an idle connection must not keep a stopped process alive.
  setTimeout(() => process.exit(), 200).unref();
}

/** Turns start errors that a person can fix into one line. */
export function explainStartFailure(error: unknown, given: Given): RelayError | undefined {
  if (error instanceof RelayError) return aboutDataDir(error, given);
  const {
    code,
    address,
    port = 0,
    hostname,
  } = error as NodeJS.ErrnoException & {
    address?: string;
    port?: number;
    hostname?: string;
  };
  if (code === 'EADDRINUSE') {
    const about = { ...given.as(portId(port, given), `${port + 1}`), address: `${address}`, port };
    return new RelayError('bad_setting', reason('port_in_use', about));
  }
  if (code === 'EACCES' && port) {
    const id = portId(port, given);
    const about = { ...given.as(id, settings[id].example), port };
    return new RelayError('bad_setting', reason('port_not_allowed', about));
  }
  // An unknown host name has no address.
  if (code === 'EADDRNOTAVAIL' || (code === 'ENOTFOUND' && hostname)) {
    const host = address ?? hostname ?? '';
    const about = { ...given.as('host', settings.host.byDefault), host };
    return new RelayError('bad_setting', reason('host_unknown', about));
  }
  return undefined;
}

const portId = (port: number, given: Given) =>
  Number(given.text('metricsPort')) === port ? 'metricsPort' : 'port';

/** Names the data directory in the error as it was given. */
function aboutDataDir(error: RelayError, given: Given): RelayError | undefined {
  const { params } = error.reason;
  if (!('setting' in params) || params.setting !== settings.dataDir.name) return undefined;
  const about = { ...params, ...given.as('dataDir', settings.dataDir.example) };
  return new RelayError(error.code, { ...error.reason, params: about } as Reason, { cause: error });
}
