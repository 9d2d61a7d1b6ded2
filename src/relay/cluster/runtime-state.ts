/*
 * Keeps the state of each bot of this node: exact in memory, written to the database soon after.
 * State changes of many bots share a write; the time of the last update is written only every 15 s.
 */
import type { Clock } from '../../clock.ts';
import type { Reason } from '../../core/reasons/reason.ts';
import { packReason } from '../../core/reasons/stored.ts';
import type {
  BotRuntimeRepository,
  BotState,
  StateChange,
} from '../../store/cluster/bot-runtime.ts';

export interface RuntimeState {
  state: BotState;
  /** The stored form of the error. */
  lastError: string;
  lastActivity: number;
}

export interface RuntimeStates {
  get(botId: number): RuntimeState | undefined;
  /** Changes whenever something that `get` returns may have changed. */
  generation(): number;
  /** This node owns the bot from now on, under a lease of this epoch. */
  begin(botId: number, leaseEpoch: number): void;
  set(botId: number, state: BotState, lastError: Reason | null): void;
  /** An update arrived for the bot, which need not be this node's. */
  touch(botId: number): void;
  /** Resolves once the bot has left `starting`, or is no longer this node's. */
  settled(botId: number): Promise<void>;
  forget(botId: number): void;
  /** Resolves when every known state is written, or could not be. */
  flush(): Promise<void>;
  /** Called for each change of state. */
  onChange(
    listener: (botId: number, state: BotState, lastError: Reason | null) => void,
  ): () => void;
}

interface Entry extends RuntimeState {
  leaseEpoch: number;
  lastErrorAt: number;
  waiters: (() => void)[] | undefined;
}

const rowsPerWrite = 500;
const activityEveryMs = 15_000;
const retryAfterMs = 1_000;

export function createRuntimeStates(options: {
  repository: BotRuntimeRepository;
  clock: Clock;
  /** Aborted when the node stops. */
  closing: AbortSignal;
  onError(error: unknown): void;
}): RuntimeStates {
  const { repository, clock, closing } = options;
  const entries = new Map<number, Entry>();
  const listeners = new Set<(botId: number, state: BotState, lastError: Reason | null) => void>();
  const changed = new Set<number>();
  const active = new Map<number, number>();
  let generation = 0;
  let writing: Promise<void> | undefined;
  let activityTimer: (() => void) | undefined;

  function writeSoon(): void {
    writing ??= new Promise<void>((resolve) => {
      setImmediate(() => void writeChanges().finally(resolve));
    }).finally(() => {
      writing = undefined;
    });
  }

  async function writeChanges(): Promise<void> {
    while (changed.size > 0) {
      const botIds = [...changed].slice(0, rowsPerWrite);
      for (const botId of botIds) changed.delete(botId);
      const rows = botIds.flatMap((botId): StateChange[] => {
        const entry = entries.get(botId);
        if (!entry) return [];
        const { leaseEpoch, state, lastError, lastErrorAt } = entry;
        return [{ botId, epoch: leaseEpoch, state, lastError, lastErrorAt }];
      });
      try {
        await repository.saveStates(rows, clock.now());
      } catch (error) {
        options.onError(error);
        for (const { botId } of rows) changed.add(botId);
        // A stopping node only flushes, because its database may close before it can be reached
        // again.
        if (!closing.aborted) clock.after(retryAfterMs, () => changed.size > 0 && writeSoon());
        return;
      }
    }
  }

  async function writeActivity(): Promise<void> {
    activityTimer?.();
    activityTimer = undefined;
    const rows = [...active].map(([botId, at]) => ({ botId, at }));
    active.clear();
    for (let from = 0; from < rows.length; from += rowsPerWrite) {
      try {
        await repository.saveActivity(rows.slice(from, from + rowsPerWrite));
      } catch (error) {
        // The next update stores the time again.
        options.onError(error);
      }
    }
  }

  function release(entry: Entry | undefined): void {
    const waiters = entry?.waiters;
    if (!entry || !waiters) return;
    entry.waiters = undefined;
    for (const waiter of waiters) waiter();
  }

  return {
    get: (botId) => entries.get(botId),
    generation: () => generation,
    begin(botId, leaseEpoch) {
      generation++;
      const known = entries.get(botId);
      release(known);
      entries.set(botId, {
        leaseEpoch,
        state: 'starting',
        lastError: '',
        lastErrorAt: 0,
        lastActivity: known?.lastActivity ?? 0,
        waiters: undefined,
      });
      changed.add(botId);
      writeSoon();
    },
    set(botId, state, explanation) {
      const lastError = packReason(explanation);
      const entry = entries.get(botId);
      if (!entry || (entry.state === state && entry.lastError === lastError)) return;
      if (lastError !== '' && lastError !== entry.lastError) entry.lastErrorAt = clock.now();
      generation++;
      entry.state = state;
      entry.lastError = lastError;
      if (state !== 'starting') release(entry);
      changed.add(botId);
      writeSoon();
      for (const listener of listeners) listener(botId, state, explanation);
    },
    touch(botId) {
      const now = clock.now();
      const entry = entries.get(botId);
      generation++;
      if (entry) entry.lastActivity = now;
      active.set(botId, now);
      activityTimer ??= clock.after(activityEveryMs, () => void writeActivity());
    },
    settled(botId) {
      const entry = entries.get(botId);
      if (entry?.state !== 'starting') return Promise.resolve();
      return new Promise((resolve) => {
        entry.waiters = [...(entry.waiters ?? []), resolve];
      });
    },
    forget(botId) {
      generation++;
      release(entries.get(botId));
      entries.delete(botId);
      changed.delete(botId);
    },
    async flush() {
      if (changed.size > 0) writeSoon();
      await writing;
      await writeActivity();
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
