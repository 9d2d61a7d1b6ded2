/*
 * Continues what desks have to send: steps whose problem may be over, and those that a crash left
 * between two transactions. A wake-up only makes it sooner.
 */
import type { Clock } from '../../clock.ts';
import { isOutage } from '../../errors.ts';
import type { DeskRepository } from '../../store/desks/desks.ts';
import type { RelayEvents } from '../events/relay-events.ts';

interface KeepDesksDeps {
  clock: Clock;
  desks: Pick<
    DeskRepository,
    'deskBots' | 'refreshCards' | 'takeDueChecks' | 'takeUp' | 'tellRestored'
  >;
  events: Pick<RelayEvents, 'on'>;
  wake(botIds: ReadonlySet<number>): void;
  /** Asks Telegram about the rights of a desk bot. */
  check(deskId: number): Promise<unknown>;
  run(work: () => Promise<void>): void;
  onError(error: unknown): void;
}

const everyMs = 15_000;

/** Runs until the signal ends it. */
export function keepDesks(deps: KeepDesksDeps, signal: AbortSignal): void {
  const { check, clock, desks, events, onError, run, wake } = deps;
  // If the database is unavailable, other parts report it.
  const report = (error: unknown) => {
    if (!isOutage(error)) onError(error);
  };
  let deskBots: ReadonlyMap<number, number> = new Map();
  const read = async () => {
    deskBots = await desks.deskBots();
  };
  // What others answered, or that an answer did not arrive, is queued for another bot.
  const wakeFor = (botId: number) => {
    const deskBot = deskBots.get(botId);
    if (deskBot !== undefined) wake(new Set([deskBot]));
  };
  events.on('sent', wakeFor);
  events.on('sendEnded', (botId, state) => {
    if (state !== 'sent') wakeFor(botId);
  });
  events.on('bot', () => run(read));
  run(read);
  run(async () => wake(await desks.tellRestored(clock.now())));
  run(async () => {
    while (!signal.aborted) {
      await clock.sleep(everyMs, signal).catch(() => {});
      if (signal.aborted) return;
      await read().catch(report);
      // Without customers of a desk, nothing waits.
      if (deskBots.size === 0) continue;
      await desks.takeUp(clock.now()).then(wake, report);
      await desks.refreshCards(clock.now()).then(wake, report);
    }
  });
  run(async () => {
    while (!signal.aborted) {
      const due = desks.takeDueChecks(clock.now());
      for (const id of (await due.catch(report)) ?? []) {
        if (!signal.aborted) await check(id).catch(report);
      }
      await clock.sleep(everyMs, signal).catch(() => {});
    }
  });
}
