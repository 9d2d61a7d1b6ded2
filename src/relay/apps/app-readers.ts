/* The apps of a bot as readers of its log: what each sees of it. */
import { type AppRecord, defaultApp } from '../../core/apps/app.ts';
import { type Sees, seenByApp, seesUnclaimed } from '../../core/apps/claims.ts';
import type { PatternTimes } from '../../core/search/pattern-time.ts';
import type { AppRepository } from '../../store/apps/apps.ts';
import type { BotRecord } from '../../store/bots/bots.ts';

/** What a reader sees of the log. */
export interface LogView {
  sees: Sees;
  /** Named by the filter, so they come even to those who asked for no kinds. */
  kinds: readonly string[];
  /** Whether that depends on more than the kind of an update and who claimed it. */
  needsText: boolean;
  /** What came after this was never seen in any other way. */
  changedAt: number;
}

export interface ReadingApp extends LogView {
  app: AppRecord;
}

/** Of the bot's own readers. */
export const ownView: LogView = {
  sees: seesUnclaimed,
  kinds: [],
  needsText: false,
  changedAt: 0,
};

export interface AppReaders {
  /** Without the default one, which the bot's own settings describe. */
  list(bot: Pick<BotRecord, 'id' | 'username'>): Promise<ReadingApp[]>;
  /** Undefined for the default one, and when there is none of that name. */
  find(botId: number, name: string): Promise<ReadingApp | undefined>;
}

interface AppReadersDeps {
  apps: Pick<AppRepository, 'list' | 'byName'>;
  bots: { get(id: number): Promise<Pick<BotRecord, 'username'> | undefined> };
  patterns: Pick<PatternTimes, 'live'>;
}

const capacity = 10_000;

/** A filter is compiled once, until it changes. */
export function createAppReaders({ apps, bots, patterns }: AppReadersDeps): AppReaders {
  const compiled = new Map<number, { source: string; sees: Sees }>();

  function reading(app: AppRecord, username: string): ReadingApp {
    const source = JSON.stringify([app.filter, username]);
    let known = compiled.get(app.id);
    if (known?.source !== source) {
      known = { source, sees: seenByApp(app, username, patterns.live) };
      if (compiled.size >= capacity) compiled.clear();
      compiled.set(app.id, known);
    }
    const needsText = Object.values(app.filter).some((value) => value.length > 0);
    // One that was never changed has shown nothing by another filter.
    const changedAt = app.updated_at === app.created_at ? 0 : app.updated_at;
    return { app, sees: known.sees, kinds: app.filter.kinds ?? [], needsText, changedAt };
  }

  /** Only commands name the bot that they are for. */
  const usernameFor = ({ filter }: AppRecord, username: string) =>
    filter.commands?.length ? username : '';

  return {
    async list({ id, username }) {
      const all = (await apps.list(id)).filter(({ name }) => name !== defaultApp);
      await patterns.live.prepare(all.flatMap(({ filter }) => filter.regex || []));
      return all.map((app) => reading(app, usernameFor(app, username)));
    },
    async find(botId, name) {
      const app = name === defaultApp ? undefined : await apps.byName(botId, name);
      if (!app) return undefined;
      await patterns.live.prepare(app.filter.regex ? [app.filter.regex] : []);
      const bot = app.filter.commands?.length ? await bots.get(botId) : undefined;
      return reading(app, bot?.username ?? '');
    },
  };
}
