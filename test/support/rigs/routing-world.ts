import { onTestFinished } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import type { RouterModel } from '../../../src/relay/routing/choose-target.ts';
import { createSandbox, type Sandbox, type SandboxOptions } from '../../../sandbox/src/index.ts';
import type { DialectName } from '../../../src/store/engine.ts';
import { createStore, type Store } from '../../../src/store/store.ts';
import { createTelegramClient, type TelegramClient } from '../../../src/telegram/client.ts';
import { createManualClock, type ManualClock } from '../manual-clock.ts';
import { type RoutingRig, startRoutingRig } from './routing-rig.ts';
import type { Database } from '../database/engines.ts';
import { createTestStore } from '../database/store.ts';
import { watchEngine } from '../database/watched-engine.ts';
import { watchTelegram } from './watched-telegram.ts';

/** A routing rig with all its parts. Ends with the test. */
export interface RoutingWorld {
  store: Store;
  database: Database;
  sandbox: Sandbox;
  telegram: TelegramClient;
  clock: ManualClock;
  /** Whether the platform or the database is asked. */
  isBusy(): boolean;
  rig: RoutingRig;
}

export async function openRoutingWorld(
  dialect: DialectName,
  options: SandboxOptions & {
    model?: RouterModel;
    isTimeShared?: boolean;
    onStatement?: (sql: string) => void;
  },
): Promise<RoutingWorld> {
  const { model, isTimeShared = false, onStatement, ...world } = options;
  const clock = createManualClock();
  const { database, store: opened, close } = await createTestStore(dialect);
  onTestFinished(close);
  const { engine, isBusy: isAsked } = watchEngine(opened.engine, undefined, onStatement);
  const store = createStore(engine, opened.vault);
  // Otherwise Telegram has real time.
  const sandboxClock = {
    now: clock.now,
    setTimeout: (fn: () => void, ms: number) => clock.after(ms, fn),
    clearTimeout: (cancel: unknown) => (cancel as () => void)(),
  };
  const sandbox = createSandbox({ ...world, ...(isTimeShared ? { clock: sandboxClock } : {}) });
  onTestFinished(() => sandbox.close());
  const { url } = await sandbox.listen();
  const client = createTelegramClient({ baseUrlFor: () => url, clock: systemClock });
  onTestFinished(() => client.close());
  const { telegram, isBusy: isCalling } = watchTelegram(client);
  const isBusy = () => isCalling() || isAsked();
  const parts = { store, database, sandbox, telegram, clock, isBusy, ...(model ? { model } : {}) };
  return { ...parts, rig: startRoutingRig(parts) };
}
