import type { Clock } from '../../clock.ts';
import { compileRoutes } from '../../core/routing/route-matcher.ts';
import type { TimeSlices } from '../../core/search/pattern-time.ts';
import type { BotRecord } from '../../store/bots/bots.ts';
import type { DeskRepository } from '../../store/desks/desks.ts';
import type { RouteRecord } from '../../store/routing/routes.ts';
import type { Rules } from './routing-decision.ts';

export interface RulesDeps {
  clock: Clock;
  desks: Pick<DeskRepository, 'ofBot'>;
  /** Returns the routes that begin or end at the bot, in the order in which they act. */
  routesOf(botId: number): Promise<RouteRecord[]>;
  slices: TimeSlices;
}

/** The rules of one bot, read again when they changed. */
export interface KeptRules {
  current(bot: BotRecord): Promise<Rules>;
  /** The next reader gets them from the database. */
  forget(): void;
  /** A notification says that they may have changed. */
  changed(): void;
}

/** Rules are read again after this time, in case no notification of a change came. */
const keepMs = 5_000;

export function keepRules({ clock, desks, routesOf, slices }: RulesDeps, botId: number): KeptRules {
  let rules: Rules | undefined;
  /**
   * The matcher and the routes it was compiled from: compiling takes time, and routes are read
   * again often.
   */
  let compiled: { source: string; matcher: Rules['matcher'] } | undefined;
  let readAt = 0;
  let changes = 0;

  return {
    async current(bot) {
      const now = clock.monotonic();
      if (rules && now - readAt < keepMs) return rules;
      const changesBefore = changes;
      const routes = await routesOf(botId);
      const own = routes.filter((route) => route.source_bot_id === botId);
      const source = JSON.stringify([own, bot.username]);
      if (compiled?.source !== source) {
        compiled = { source, matcher: compileRoutes(own, bot.username) };
        await compiled.matcher.prepare(slices);
      }
      const fresh = {
        desks: await desks.ofBot(botId),
        matcher: compiled.matcher,
        answersLatest: routes.some(
          (route) => route.target_bot_id === botId && route.return_mode === 'latest',
        ),
      };
      // If a notification arrived meanwhile, the routes may be outdated, so they are used only
      // once.
      rules = changes === changesBefore ? fresh : undefined;
      readAt = now;
      return fresh;
    },
    forget() {
      rules = undefined;
    },
    changed() {
      rules = undefined;
      changes++;
    },
  };
}
