import { readReaderState } from '../../store/delivery/push-progress.ts';
import { createParkedLoads } from './parked-loads.ts';
import { Parking } from './parking.ts';
import { type PushState, type PushTools, release, useOptions } from './push-state.ts';
import type { Queue } from './queue.ts';
import { Window } from './window.ts';
import { pushReader } from '../../core/log/reader-kinds.ts';

/**
 * Opens a bot's reader, at the log's end when it is new, and fills `state` with where it stands.
 * Returns the queues that were parked when the bot last ran.
 */
export async function openReader(state: PushState, tools: PushTools): Promise<Queue[]> {
  const { botId, queues } = state;
  const { clock, readers, parkedQueues, random, settings, writer } = tools;
  const reader = await readers.openReader(botId, pushReader, clock.now());
  state.era = reader.generation;
  // After the reader: should it be moved meanwhile, its era tells that this may be outdated, too.
  useOptions(state, tools, await tools.webhooks.get(botId));
  const stored = readReaderState(reader.state);
  const window = new Window(reader.position, stored.finished);
  const common = { botId, clock, queues, random, mostInMemory: settings.mostParkedQueues };
  const parking = new Parking({
    ...common,
    window,
    changes: () => state.changes,
    released: (entry) => release(state, tools, entry),
    giveUpAfterMs: settings.giveUpAfterMs,
  });
  const loads = createParkedLoads({
    ...common,
    parking,
    store: parkedQueues,
    flush: () => writer.flush(),
    lost: (position) => state.changes.positions.set(position, null),
  });
  const parked = await loads.restore();
  if (state.halted) return [];
  Object.assign(state, { window, parking, loads });
  // A dead backend stays paused over a restart: no stampede before the first probe.
  if (stored.paused) state.breaker.open(clock.monotonic());
  return parked;
}
