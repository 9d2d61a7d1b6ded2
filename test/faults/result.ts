import type { DialectName } from '../../src/store/engine.ts';
import { readLog } from '../invariants/support/reconcile.ts';
import type { Database } from '../support/database/engines.ts';
import { reconcile, sum, type Tally } from './support/reconcile.ts';
import { read } from './support/read-database.ts';
import { allowedRepeats, type World, type WorldBot } from './support/world.ts';

/** Something that has to hold, or a figure to know. */
export interface Mark {
  name: string;
  value: string;
  limit: string;
  ok: boolean;
  /** What to look at when it does not. */
  details?: string[];
}

export interface FaultResult {
  fault: string;
  engine: DialectName;
  seed: number;
  seconds: number;
  readers: Record<string, Tally>;
  marks: Mark[];
}

/** Thrown where the machine lacks what a fault needs. */
export class NotRun extends Error {}

export const counted = (name: string, value: string | number): Mark => ({
  name,
  value: typeof value === 'number' ? value.toLocaleString('en') : value,
  limit: 'counted',
  ok: true,
});

export const isSo = (name: string, ok: boolean, limit = 'yes'): Mark => ({
  name,
  value: ok ? 'yes' : 'no',
  limit,
  ok,
});

export interface FaultOptions {
  database: Database;
  bots: number;
  updates: number;
  kills: number;
  perSecond: number;
  seed: number;
  /** Of fault 7. */
  requests: number;
  /** Of faults 5 and 6. */
  minutes: number;
  /** How long faults last, compared with the whole suite. */
  pace: number;
  say(line: string): void;
  /** An empty database on the same engine, for what runs beside. */
  createDatabase(): Promise<Database>;
  /** Ends PostgreSQL at once and starts it again; left out where others use it as well. */
  restartPostgres?: () => Promise<void>;
  /** The folder of `initdb` and `pg_ctl`, for servers of a fault's own. */
  postgresBinaries?: string;
}

export function atMost(name: string, value: number, most: number, unit = ''): Mark {
  const show = (number: number) => `${Math.round(number).toLocaleString('en')}${unit}`;
  return { name, value: show(value), limit: `≤ ${show(most)}`, ok: value <= most };
}

/** Infinite where nothing was measured. */
export const percentile = (of: readonly number[], share: number): number =>
  of.toSorted((a, b) => a - b)[Math.floor(of.length * share)] ?? Number.POSITIVE_INFINITY;

export interface Limits {
  maxDelayMs: number;
  /** Where only backends fail: of what does not wait for them. */
  othersDelayMs?: number;
  /** How often, at most, a bot's deliveries began again from what was stored; left out where a fault counts repeats itself. */
  begunAgain?: number;
  /** How many sends may have been interrupted; none where nothing is killed or cut off. */
  maxUnknown?: number;
  /** Retention removes updates from the log meanwhile. */
  isTrimmed?: boolean;
}

/** What a service logged at this level or above, each with how often it came. */
export function loggedAt(level: 40 | 50, log: string): string {
  const times = new Map<string, number>();
  // A kill may have cut the last line off.
  for (const [line] of log.matchAll(/^\{"level":\d+,.*\}$/gm)) {
    const entry = JSON.parse(line) as { level: number; msg: string };
    if (entry.level >= level) times.set(entry.msg, (times.get(entry.msg) ?? 0) + 1);
  }
  return [...times].map(([text, count]) => `${text} (${count})`).join(', ') || 'none';
}

/** Reconciles every update, once no service runs. */
export async function takeStock(
  world: World,
  database: Database,
  limits: Limits,
): Promise<Pick<FaultResult, 'readers' | 'marks'>> {
  const { maxDelayMs, othersDelayMs = maxDelayMs, begunAgain, isTrimmed } = limits;
  const of = (pick: (bot: WorldBot) => Tally) => sum(world.bots.map(pick));
  const sends = await readSends(database);
  const stateOf = (bot: WorldBot, id: number) => sends.get(`carry ${bot.index} ${id}`);
  const routing = of((bot) => {
    const arrived = new Set(bot.carried.map(({ id }) => id));
    // Reported as unknown and not at the platform: that is what "unknown" is for.
    const unknown = (id: number) => !arrived.has(id) && stateOf(bot, id) === 'unknown';
    const tally = reconcile(bot.matching, bot.carried);
    return { ...tally, lost: tally.lost - bot.matching.filter(({ id }) => unknown(id)).length };
  });
  const ofApps = (isPushed: boolean) =>
    sum(
      world.bots
        .flatMap(({ apps }) => apps.filter((app) => app.isPushed === isPushed))
        .map((app) => reconcile(app.offered, app.received)),
    );
  const hasApps = world.bots.some(({ apps }) => apps.length > 0);
  const pushed = world.bots.map((bot) => reconcile(bot.unclaimed, bot.pushed));
  const repeats = Math.max(...pushed.map(({ duplicated }) => duplicated));
  const hasRoutes = routing.offered > 0;
  const readers: Record<string, Tally> = {
    push: sum(pushed),
    pull: of((bot) => reconcile(bot.unclaimed, bot.pulled)),
    ...(hasRoutes ? { routing } : {}),
    ...(hasApps ? { 'apps, push': ofApps(true), 'apps, pull': ofApps(false) } : {}),
  };
  const delayLimitOf = (reader: string) => (reader.endsWith('push') ? maxDelayMs : othersDelayMs);
  const log = await readLog(database);
  const wrongInLog = world.bots.filter((bot) => {
    const ids = log.updateIds(bot.token);
    const positions = log.positions(bot.token);
    // Retention removes the oldest.
    const first = isTrimmed ? (positions[0] ?? 1) : 1;
    const isGapless = positions.every((position, index) => position === first + index);
    const isWhole =
      ids.length + first - 1 === bot.offered.length || (isTrimmed && ids.length === 0);
    return !isGapless || !isWhole || new Set(ids).size !== ids.length;
  });
  const states = [...sends.values()];
  const count = (wanted: string) => states.filter((state) => state === wanted).length;
  return {
    readers,
    marks: [
      ...Object.entries(readers).map(([name, { lost, reordered, unexpected }]) =>
        atMost(`${name}: lost, reordered or never offered`, lost + reordered + unexpected, 0),
      ),
      ...Object.entries(readers).map(([name, tally]) =>
        atMost(`${name}: longest delay`, tally.maxDelayMs, delayLimitOf(name), ' ms'),
      ),
      ...(begunAgain === undefined
        ? []
        : [atMost('push: delivered twice, of one bot', repeats, allowedRepeats * begunAgain)]),
      atMost(
        'pull: delivered twice',
        sum([readers['pull'], readers['apps, pull']].flatMap((tally) => tally ?? [])).duplicated,
        0,
      ),
      ...(hasRoutes
        ? [
            atMost('routing: sent twice', routing.duplicated, 0),
            atMost(
              'routing: neither sent nor unknown',
              states.length - count('sent') - count('unknown'),
              0,
            ),
            atMost('routing: reported as unknown', count('unknown'), limits.maxUnknown ?? 0),
          ]
        : []),
      atMost('bots whose log has gaps, repeats or misses', wrongInLog.length, 0),
    ],
  };
}

/** The state of each routed message, by its text. */
async function readSends(database: Database): Promise<Map<string, string>> {
  const rows = await read<{ params: string; state: string }>(
    database,
    `select params, state from outbox where origin = 'routed' order by id`,
  );
  return new Map(
    rows.map(({ params, state }) => [(JSON.parse(params) as { text: string }).text, state]),
  );
}
