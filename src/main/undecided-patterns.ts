import type { Clock } from '../clock.ts';
import type { PatternOwner, PatternTime } from '../core/search/pattern-time.ts';
import type { RelayMetrics } from '../core/stats/relay-metrics.ts';
import type { Logger } from '../logger.ts';

const sayAgainAfterMs = 10 * 60_000;
const mostOwners = 1_000;

/** Counts patterns that take too long, and names the app or the route in the log now and then. */
export function tellUndecided(
  patterns: PatternTime,
  deps: { clock: Clock; logger: Logger; metrics: Pick<RelayMetrics, 'patternUndecided'> },
): void {
  const said = new Map<string, number>();
  const isDue = (owner: PatternOwner): boolean => {
    const key = JSON.stringify(owner);
    const now = deps.clock.monotonic();
    if (now - (said.get(key) ?? Number.NEGATIVE_INFINITY) < sayAgainAfterMs) return false;
    if (said.size >= mostOwners) said.clear();
    said.set(key, now);
    return true;
  };
  patterns.onUndecided((botId, owner) => {
    deps.metrics.patternUndecided('appId' in owner ? 'app' : 'route');
    if (!isDue(owner)) return;
    const named = 'appId' in owner ? { app_id: owner.appId } : { route_id: owner.routeId };
    deps.logger.warn({ bot_id: botId, ...named }, 'pattern takes too long: left undecided');
  });
}
