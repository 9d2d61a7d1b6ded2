/*
 * Finds sends abandoned by a crashed process and marks them `unknown`, never to be sent again: the
 * request may have gone out. Until then they block whatever has to know how they ended.
 */
import type { Clock } from '../../clock.ts';
import type { OutboxRepository } from '../../store/outbox/outbox.ts';
import type { SendInFlight } from '../../store/outbox/outbox-record.ts';
import { createBackground } from '../async/background.ts';

/**
 * The nodes as this one last saw them. A node that left properly, or never joined, is not known.
 */
export interface OtherNodes {
  known(): readonly string[];
  dead(): readonly string[];
}

export interface LostSendsDeps {
  clock: Clock;
  node(): string;
  outbox: OutboxRepository;
  inFlight: { has(id: number): boolean };
  nodes: OtherNodes;
}

// The time from the commit to the moment a send counts as in flight, with room for a busy process.
const ownTimeoutMs = 10_000;
// A command sends without being a node.
const unknownNodeTimeoutMs = 120_000;
// This is longer than any send takes, including uploads.
const maxMs = 600_000;

/**
 * `seenForMs` is how long this node has seen the send by the monotonic clock, because `since` comes
 * from another clock.
 */
export function isLost(
  send: SendInFlight,
  seenForMs: number,
  deps: Omit<LostSendsDeps, 'outbox'>,
): boolean {
  const { node, inFlight, nodes } = deps;
  if (send.node === node()) {
    const ageMs = Math.max(seenForMs, deps.clock.now() - send.since);
    return !inFlight.has(send.id) && ageMs > ownTimeoutMs;
  }
  if (nodes.dead().includes(send.node)) return true;
  return seenForMs > (nodes.known().includes(send.node) ? maxMs : unknownNodeTimeoutMs);
}

export interface Sweep {
  /** Looks after this time, unless an earlier look is planned, and at intervals from then on. */
  lookWithin(ms: number): void;
  pause(): void;
  /** Stops for good. */
  end(): Promise<void>;
}

const everyMs = 15_000;

/** Looks for lost sends, and wakes bots with queued sends whose notification was lost. */
export function createSweep(
  deps: LostSendsDeps,
  { wake, onError }: { wake(botId: number): void; onError(error: unknown): void },
): Sweep {
  const { clock, outbox } = deps;
  const background = createBackground();
  let atMs = Number.POSITIVE_INFINITY;
  let cancel = () => {};
  /** The time at which this node first saw each attempt. */
  let seenAt = new Map<string, number>();

  function pause(): void {
    cancel();
    atMs = Number.POSITIVE_INFINITY;
  }

  function lookWithin(ms: number): void {
    if (clock.monotonic() + ms >= atMs) return;
    cancel();
    atMs = clock.monotonic() + ms;
    cancel = clock.after(ms, look);
  }

  function look(): void {
    pause();
    lookWithin(everyMs);
    background.run(abandonLost, onError);
    background.run(async () => (await outbox.waiting()).forEach(wake), onError);
  }

  async function abandonLost(): Promise<void> {
    const sends = await outbox.inFlight();
    const now = clock.monotonic();
    seenAt = new Map(
      sends.map(({ id, since }) => [`${id} ${since}`, seenAt.get(`${id} ${since}`) ?? now]),
    );
    const lost = sends.filter((send) =>
      isLost(send, now - (seenAt.get(`${send.id} ${send.since}`) ?? now), deps),
    );
    if (lost.length > 0) await outbox.abandon(lost, clock.now());
  }

  return { lookWithin, pause, end: background.end };
}
