import { onTestFinished } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import type { RouterModel } from '../../../src/relay/routing/choose-target.ts';
import { createSandbox, type Sandbox, type SandboxOptions } from '../../../sandbox/src/index.ts';
import type { DialectName } from '../../../src/store/engine.ts';
import type { Store } from '../../../src/store/store.ts';
import { createTelegramClient, type TelegramClient } from '../../../src/telegram/client.ts';
import { createManualClock, type ManualClock } from '../manual-clock.ts';
import { type RoutingRig, startRoutingRig } from './routing-rig.ts';
import { openStore } from '../database/store.ts';

/** A routing rig with all its parts. Ends with the test. */
export interface RoutingWorld {
  store: Store;
  sandbox: Sandbox;
  telegram: TelegramClient;
  clock: ManualClock;
  rig: RoutingRig;
}

export async function openRoutingWorld(
  dialect: DialectName,
  options: SandboxOptions & { model?: RouterModel },
): Promise<RoutingWorld> {
  const { model, ...world } = options;
  const store = await openStore(dialect);
  const sandbox = createSandbox(world);
  onTestFinished(() => sandbox.close());
  const { url } = await sandbox.listen();
  const telegram = createTelegramClient({ baseUrlFor: () => url, clock: systemClock });
  onTestFinished(() => telegram.close());
  const clock = createManualClock();
  const parts = { store, sandbox, telegram, clock, ...(model ? { model } : {}) };
  return { ...parts, rig: startRoutingRig(parts) };
}
