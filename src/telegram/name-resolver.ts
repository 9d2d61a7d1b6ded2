/*
 * Resolves hosts that users enter.
 *
 * The system's resolver gives the answer, because only it knows the hosts file, search domains and
 * other settings of the machine. But it blocks a thread for as long as a name server is silent, and
 * the whole process shares two such threads. Invariant: names take at most one thread, or two while
 * a name server is silent; a silent server delays only names whose servers are silent. To tell them
 * apart, each name is first queried over the network, which needs no thread.
 */
import { lookup, Resolver } from 'node:dns/promises';
import { type Clock, systemClock } from '../clock.ts';
import { isOutOfFiles } from '../errors.ts';

export type ResolveName = (hostname: string) => Promise<string[]>;

interface NameResolverOptions {
  clock?: Clock;
  lookUp?: ResolveName;
  /** Settles when the name servers of a name have answered anything. */
  probe?: (hostname: string) => Promise<unknown>;
}

interface Name {
  addresses: string[];
  resolvedAt: number;
  error: unknown;
  failedAt: number;
  /** The lookup in flight; it may continue after its callers stopped waiting. */
  lookup: Promise<void> | undefined;
}

const timeoutMs = 5_000;
const probeMs = 1_000;
const cachedMs = 10_000;
const failureCachedMs = 5_000;
// How long the last answer is used while the name server is silent.
const staleMs = 600_000;
const namesCached = 2_000;
const namesWaiting = 100;

export function createNameResolver({
  clock = systemClock,
  lookUp = lookUpBySystem,
  probe = probeByDns,
}: NameResolverOptions = {}): ResolveName {
  const names = new Map<string, Name>();
  const quick = createLane();
  const slow = createLane();

  async function look(hostname: string, name: Name): Promise<void> {
    try {
      const lane = (await isQuick(hostname)) ? quick : slow;
      if (lane.waiting() >= namesWaiting) throw tryAgain(hostname);
      name.addresses = await lane.run(() => lookUp(hostname));
      name.resolvedAt = clock.monotonic();
      name.error = undefined;
    } catch (error) {
      name.error = error;
      // Too many open files says nothing about the name, so the next caller tries again.
      name.failedAt = isOutOfFiles(error) ? Number.NEGATIVE_INFINITY : clock.monotonic();
    } finally {
      name.lookup = undefined;
    }
  }

  async function isQuick(hostname: string): Promise<boolean> {
    // Name servers are never asked for this name.
    if (hostname === 'localhost') return true;
    const answered = probe(hostname).then(
      () => true,
      (error: unknown) => (error as { code?: unknown }).code !== 'ETIMEOUT',
    );
    return orAfter(clock, probeMs, answered, false);
  }

  function nameOf(hostname: string): Name {
    let name = names.get(hostname);
    if (!name) {
      if (names.size >= namesCached) dropOldest();
      name = { addresses: [], resolvedAt: 0, error: undefined, failedAt: 0, lookup: undefined };
      names.set(hostname, name);
    }
    return name;
  }

  function dropOldest(): void {
    for (const [hostname, { lookup: isUsed }] of names) {
      if (isUsed) continue;
      names.delete(hostname);
      return;
    }
  }

  return async (hostname) => {
    const name = nameOf(hostname);
    const now = clock.monotonic();
    const isFresh = name.addresses.length > 0 && now - name.resolvedAt < cachedMs;
    if (isFresh && name.error === undefined) return name.addresses;
    if (name.error === undefined || now - name.failedAt >= failureCachedMs) {
      name.lookup ??= look(hostname, name);
      const isDone = await orAfter(
        clock,
        timeoutMs,
        name.lookup.then(() => true),
        false,
      );
      if (!isDone) {
        name.error = tryAgain(hostname);
        name.failedAt = clock.monotonic();
      }
    }
    if (name.error === undefined) return name.addresses;
    const isGone = (name.error as { code?: unknown }).code === 'ENOTFOUND';
    const isStale = clock.monotonic() - name.resolvedAt >= staleMs;
    if (isGone || isStale || name.addresses.length === 0) throw name.error;
    return name.addresses;
  };
}

/** Runs work one at a time. */
function createLane() {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return {
    waiting: () => waiting,
    run<T>(work: () => Promise<T>): Promise<T> {
      waiting++;
      const done = last.then(work).finally(() => waiting--);
      last = done.catch(() => {});
      return done;
    },
  };
}

function orAfter<T>(clock: Clock, ms: number, work: Promise<T>, otherwise: T): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(ms, () => resolve(otherwise));
    work.finally(cancel).then(resolve, reject);
  });
}

function tryAgain(hostname: string): Error {
  const error = new Error(`${hostname} could not be looked up in time`);
  return Object.assign(error, { code: 'EAI_AGAIN', hostname });
}

async function lookUpBySystem(hostname: string): Promise<string[]> {
  const answers = await lookup(hostname, { all: true, order: 'verbatim' });
  return answers.map((answer) => answer.address);
}

/** Queries both kinds, because the system's resolver waits for both. */
async function probeByDns(hostname: string): Promise<void> {
  const resolver = new Resolver({ timeout: probeMs, tries: 1 });
  const answers = await Promise.allSettled([
    resolver.resolve4(hostname),
    resolver.resolve6(hostname),
  ]);
  for (const answer of answers) {
    if (answer.status === 'rejected') {
      const { code } = answer.reason as { code?: unknown };
      if (code === 'ETIMEOUT') throw answer.reason;
    }
  }
}
