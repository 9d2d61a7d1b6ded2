import { type Caller, hasScope } from '../../core/access/access.ts';
import type { BotStatus } from '../../core/ports.ts';
import type { BotRecord } from '../../store/bots/bots.ts';
import { type BotView, viewBot } from './bot-view.ts';

type Statuses = ReadonlyMap<number, BotStatus>;

interface Made {
  bots: readonly BotRecord[];
  statuses: Statuses;
  views: readonly BotView[];
}

/** Caches the list of all bots until something in it changes. */
export function createBotViews() {
  const made: { open?: Made; masked?: Made } = {};
  return {
    of(caller: Caller, bots: readonly BotRecord[], statuses: Statuses): readonly BotView[] {
      const kind = hasScope(caller, 'manage') ? 'open' : 'masked';
      const last = made[kind];
      if (last?.bots === bots && last.statuses === statuses) return last.views;
      const views = bots.map((bot) => viewBot(caller, bot, statuses.get(bot.id)));
      // Lists of limited callers are not cached: they would only evict this one.
      if (caller.botIds === null) made[kind] = { bots, statuses, views };
      return views;
    },
  };
}
