/* Finds routing decisions by what people wrote, newest first, within bounds of number and time. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../clock.ts';
import { gistMatcher } from '../../core/log/update-gist.ts';
import type { LogEntry } from '../../store/log/log-entry.ts';
import type { Decision, DecisionFilter } from '../../store/routing/decisions.ts';
import type { Store } from '../../store/store.ts';

type Searched = Pick<Store, 'messageTraces' | 'routing'>;

/** A search looks at this many decisions, and no more once the time is over. */
const mostSearched = 5_000;
const mostSearchMs = 1_000;
const perPortion = 200;

/** Finds decisions with the updates that the log still has, among the last ones if there is a query. */
export async function findDecisions(
  store: Searched,
  clock: Clock,
  filter: DecisionFilter,
  q: string | undefined,
) {
  const { decisions } = store.routing;
  if (!q?.trim()) return { found: await withEntries(store, await decisions.list(filter)) };
  const matches = gistMatcher(q);
  const found: Awaited<ReturnType<typeof withEntries>> = [];
  const startedAt = clock.monotonic();
  let last: Decision | undefined;
  for (let read = 0; read < mostSearched; read += perPortion) {
    const before = last ? { beforeId: last.id } : {};
    const portion = await decisions.list({ ...filter, ...before, limit: perPortion });
    const matching = (await withEntries(store, portion)).filter(
      ({ entry }) => entry && matches(entry),
    );
    found.push(...matching);
    if (found.length >= filter.limit || portion.length < perPortion) {
      return { found: found.slice(0, filter.limit) };
    }
    last = portion.at(-1);
    // SQLite answers at once, so nothing else would run in between.
    await nextTurn();
    if (clock.monotonic() - startedAt > mostSearchMs) break;
  }
  return { found, stoppedAt: last };
}

async function withEntries(store: Searched, decisions: readonly Decision[]) {
  const known = new Map<string, LogEntry>();
  for (const botId of new Set(decisions.map((decision) => decision.botId))) {
    const own = decisions.filter((decision) => decision.botId === botId);
    const positions = own.map(({ position }) => position);
    for (const entry of await store.messageTraces.updates(botId, positions, true)) {
      known.set(`${botId} ${entry.position}`, entry);
    }
  }
  return decisions.map((decision) => ({
    decision,
    entry: known.get(`${decision.botId} ${decision.position}`),
  }));
}
