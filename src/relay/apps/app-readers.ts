/* Describes the apps of a bot as readers of its log: what each one sees of it. */
import { type AppRecord, defaultApp } from '../../core/apps/app.ts';
import { type Sees, seenByApp, seesUnclaimed } from '../../core/apps/claims.ts';
import type { PatternTimes } from '../../core/search/pattern-time.ts';
import type { AppRepository } from '../../store/apps/apps.ts';
import type { BotRecord } from '../../store/bots/bots.ts';

/** The part of the log that a reader sees. */
export interface LogView {
  sees: Sees;
  /**
   * The kinds that the app's filter names. The app gets them even if its backend did not choose any
   * kinds.
   */
  kinds: readonly string[];
  /** True if the filter needs more than the kind of an update and the app that claimed it. */
  needsText: boolean;
  /**
   * When the app last changed; 0 if never. Later updates were only ever seen through the present
   * filter.
   */
  changedAt: number;
}

export interface ReadingApp extends LogView {
  app: AppRecord;
}

/** The view of the bot's own readers. */
export const ownView: LogView = {
  sees: seesUnclaimed,
  kinds: [],
  needsText: false,
  changedAt: 0,
};

export interface AppReaders {
  /** Lists all apps except the default one, which the bot's own settings describe. */
  list(bot: Pick<BotRecord, 'id' | 'username'>): Promise<ReadingApp[]>;
  /** Undefined for the default app, and if there is no app of that name. */
  find(botId: number, name: string): Promise<ReadingApp | undefined>;
}

interface AppReadersDeps {
  apps: Pick<AppRepository, 'list' | 'byName'>;
  bots: { get(id: number): Promise<Pick<BotRecord, 'username'> | undefined> };
  patterns: Pick<PatternTimes, 'live'>;
}

const capacity = 10_000;

/** Compiles each filter once, until it changes. */
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
    // An app that was never changed has had no other filter.
    const changedAt = app.updated_at === app.created_at ? 0 : app.updated_at;
    return { app, sees: known.sees, kinds: app.filter.kinds ?? [], needsText, changedAt };
  }

  /** The username matters only to filters with commands, which may name the bot they are for. */
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
