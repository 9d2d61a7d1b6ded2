import type { Clock } from '../../clock.ts';
import type { PatternOwner, PatternTime } from '../../core/search/pattern-time.ts';
import type { RelayMetrics } from '../../core/stats/relay-metrics.ts';
import type { Logger } from '../../logger.ts';
import type { Background } from '../async/background.ts';
import type {
  AlertConditionRepository,
  UndecidedPattern,
} from '../../store/alerts/alert-conditions.ts';

const sayAgainAfterMs = 10 * 60_000;
/** The mark is renewed well within the minutes that the alert stays open. */
const storeAgainAfterMs = 60_000;
/**
 * Wait before storing, because patterns are matched within transactions, and many may reach their
 * limit at once.
 */
const storeAfterMs = 1_000;
const mostOwners = 1_000;

/** Counts patterns that take too long, names the app or the route in the log, and stores it for the alert. */
export function tellUndecided(
  patterns: PatternTime,
  deps: {
    clock: Clock;
    logger: Logger;
    metrics: Pick<RelayMetrics, 'patternUndecided'>;
    conditions: Pick<AlertConditionRepository, 'recordUndecided'>;
    background: Background;
    signal: AbortSignal;
  },
): void {
  const { clock, logger, signal } = deps;
  const isDueToSay = everyNowAndThen(clock, sayAgainAfterMs);
  const isDueToStore = everyNowAndThen(clock, storeAgainAfterMs);
  let unstored: UndecidedPattern[] = [];

  async function store(): Promise<void> {
    await clock.sleep(storeAfterMs, signal);
    const stored = unstored;
    unstored = [];
    await deps.conditions.recordUndecided(stored, clock.now());
  }

  patterns.onUndecided((botId, owner) => {
    deps.metrics.patternUndecided('appId' in owner ? 'app' : 'route');
    const key = JSON.stringify(owner);
    if (isDueToStore(key)) {
      unstored.push({ botId, appId: 0, routeId: 0, ...owner });
      if (unstored.length === 1) {
        deps.background.run(store, (error) => {
          if (!signal.aborted) logger.warn({ err: error }, 'undecided patterns were not stored');
        });
      }
    }
    if (!isDueToSay(key)) return;
    logger.warn({ bot_id: botId, ...named(owner) }, 'pattern takes too long: left undecided');
  });
}

const named = (owner: PatternOwner) =>
  'appId' in owner ? { app_id: owner.appId } : { route_id: owner.routeId };

function everyNowAndThen(clock: Clock, pauseMs: number): (key: string) => boolean {
  const last = new Map<string, number>();
  return (key) => {
    const now = clock.monotonic();
    if (now - (last.get(key) ?? Number.NEGATIVE_INFINITY) < pauseMs) return false;
    if (last.size >= mostOwners) last.clear();
    last.set(key, now);
    return true;
  };
}
