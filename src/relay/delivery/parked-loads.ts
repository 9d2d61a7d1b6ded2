/* What a bot's parking fetches from the store: the next updates of a queue, and queues left there. */
import type { Clock } from '../../clock.ts';
import type { LogEntry } from '../../store/log/log-entry.ts';
import type { ParkedQueueRepository } from '../../store/delivery/retry-queues.ts';
import type { Parking } from './parking.ts';
import type { Parked, Queue } from './queue.ts';

const entriesPerLoad = 50;
const queuesPerLoad = 100;
// A poke of a node whose clock is behind may look older than one seen before.
const clockSkewMs = 60_000;

export interface ParkedLoads {
  /** Those that were parked when the bot last ran. */
  restore(): Promise<Queue[]>;
  /** The next of a queue's updates. */
  load(queue: Queue): Promise<void>;
  /** Queues that are due and were left in the store. */
  loadDue(): Promise<Queue[]>;
  /** Queues that someone touched from outside since the last look. */
  loadPoked(): Promise<Queue[]>;
  /** Which queues of these entries are parked in the store; kept true until the next call. */
  parkedAmong(entries: readonly LogEntry[]): Promise<ReadonlySet<string>>;
}

export function createParkedLoads(deps: {
  botId: number;
  clock: Clock;
  parking: Parking;
  store: ParkedQueueRepository;
  /** Resolves when all changes until now are on disk. */
  flush: () => Promise<void>;
  /** Retention took this position before it was delivered. */
  lost: (position: number) => void;
  random: () => number;
  mostInMemory: number;
}): ParkedLoads {
  const { botId, clock, parking, store, flush, random, mostInMemory } = deps;
  const wallAheadMs = clock.now() - clock.monotonic();
  let seenPokeAt = 0;

  return {
    async restore() {
      await store.repair(botId, clock.now());
      const rows = await store.first(botId, mostInMemory + 1);
      parking.overflows = rows.length > mostInMemory;
      seenPokeAt = Math.max(0, ...rows.map((row) => row.pokedAt));
      // Many that fell due while nobody was here do not come all at once.
      const spreadMs = Math.min(10_000, rows.length * 50);
      return parking.adopt(rows.slice(0, mostInMemory), () => random() * spreadMs);
    },
    async load(queue) {
      const parked = queue.parked as Parked;
      parked.loading = true;
      try {
        const { added } = parked;
        await flush();
        const { entries, lost, complete } = await store.entries(botId, queue.name, entriesPerLoad);
        if (queue.parked !== parked) return;
        parked.entries = entries;
        parked.moreStored = !complete || parked.added !== added;
        for (const position of lost) deps.lost(position);
        const head = entries[0]?.position ?? 0;
        if (parked.headPosition !== 0 && head !== parked.headPosition) parking.resetHead(parked);
      } finally {
        parked.loading = false;
      }
    },
    async loadDue() {
      // What was written before the wall clock was set back is due by the time it had then.
      const dueMs = Math.max(clock.now(), clock.monotonic() + wallAheadMs);
      const due = await store.due(botId, dueMs, queuesPerLoad);
      const unknown = due.filter((row) => !parking.loaded.has(row.queue));
      if (unknown.length === 0 && due.length < queuesPerLoad) {
        const { evictions } = parking;
        const rows = await store.first(botId, mostInMemory + 1);
        const strangers = rows.some((row) => !parking.loaded.has(row.queue));
        const enough = !strangers && rows.length <= mostInMemory;
        if (enough && evictions === parking.evictions) parking.overflows = false;
      }
      return parking.adopt(unknown, () => 0);
    },
    async loadPoked() {
      const since = Math.min(seenPokeAt, clock.now()) - clockSkewMs;
      const rows = await store.pokedSince(botId, Math.max(0, since));
      seenPokeAt = Math.max(seenPokeAt, ...rows.map((row) => row.pokedAt));
      return parking.adopt(rows, () => 0);
    },
    async parkedAmong(entries) {
      const parked = new Set<string>();
      const emptied = new Set<string>();
      // What happens while the store is asked, and until these entries are taken, is newer.
      parking.watcher = {
        left: (queue) => void (parked.add(queue), emptied.delete(queue)),
        emptied: (queue) => void (parked.delete(queue), emptied.add(queue)),
      };
      // Queues that were just emptied are still in the store until that is written.
      await flush();
      const names = [...new Set(entries.map((entry) => entry.queue))];
      for (const queue of await store.among(botId, names)) {
        if (!emptied.has(queue)) parked.add(queue);
      }
      return parked;
    },
  };
}
