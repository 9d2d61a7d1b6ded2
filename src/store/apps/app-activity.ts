import { defaultApp } from '../../core/apps/app.ts';
import { type DialectName, type Engine, raw } from '../engine.ts';
import { readersBehind } from '../log/readers-behind.ts';
import { wordsOf } from '../sql/dialect.ts';

export interface AppActivity {
  last_seen_at: number;
  /** The number of messages it sent. */
  sent: number;
  /** The number of calls that Telegram answered with 429. */
  rate_limited: number;
  rate_limited_at: number;
  /** The wait in seconds that Telegram asked for last. */
  retry_after: number;
}

export interface SeenApp {
  botId: number;
  /** 0 for the default app. */
  appId: number;
  at: number;
  sent: number;
  /** The calls that Telegram answered with 429. */
  rateLimited?: {
    count: number;
    at: number;
    /** 0 if the chat is not known, or if there are several. */
    chatId: number;
    retryAfterSeconds: number;
  };
}

/** Refusals further apart than this belong to different spells. */
export const rateLimitedSpellMs = 5 * 60_000;

export interface AppTotals {
  botId: number;
  app: string;
  /** The number of updates that it has not finished; 0 while it is disabled. */
  behind: number;
  dropped: number;
  deadLetters: number;
  sent: number;
  rateLimited: number;
}

/** What apps did, and what they have not finished. */
export interface AppActivityRepository {
  /** Lists apps that somebody added, over all bots, at most `most`. */
  totals(most?: number): Promise<AppTotals[]>;
  /** Returns the activity by app. */
  activity(botId: number): Promise<ReadonlyMap<number, AppActivity>>;
  /** Adds up what apps did. */
  recordActivity(seen: readonly SeenApp[]): Promise<void>;
}

const activityColumns = {
  bot: 'bigint',
  app: 'bigint',
  at: 'bigint',
  made: 'bigint',
  limited: 'bigint',
  limited_at: 'bigint',
  limited_chat: 'bigint',
  wait: 'bigint',
} as const;

/** The rows come in one order, so that nodes that write at the same moment cannot deadlock. */
const addActivity = (dialect: DialectName) => {
  const kept = (name: string, otherwise = `excluded.${name}`) =>
    `${name} = case when excluded.rate_limited = 0 then app_activity.${name} else ${otherwise} end`;
  const inSpell = (of: string, otherwise: string) =>
    `case when excluded.rate_limited_at - app_activity.rate_limited_at > ${rateLimitedSpellMs}
      then ${otherwise} else ${of} end`;
  // At most one entry of an app reports refusals, so its sums are the values of that entry.
  return `insert into app_activity (app_id, last_seen_at, sent, rate_limited, rate_limited_lately,
      rate_limited_at, rate_limited_chat, retry_after)
    select apps.id, max(at), sum(made), sum(limited), sum(limited), sum(limited_at),
      sum(limited_chat), sum(wait)
    from (${wordsOf[dialect].rows(activityColumns, 1)}) as seen join apps on apps.bot_id = seen.bot
      and (apps.id = app or (app = 0 and apps.name = '${defaultApp}'))
    where true group by apps.id order by apps.id
    on conflict (app_id) do update set sent = app_activity.sent + excluded.sent,
      rate_limited = app_activity.rate_limited + excluded.rate_limited,
      ${kept(
        'rate_limited_lately',
        inSpell(
          'app_activity.rate_limited_lately + excluded.rate_limited_lately',
          'excluded.rate_limited_lately',
        ),
      )},
      ${kept(
        'rate_limited_chat',
        inSpell(
          `case when app_activity.rate_limited_chat = excluded.rate_limited_chat
            then excluded.rate_limited_chat else 0 end`,
          'excluded.rate_limited_chat',
        ),
      )},
      ${kept('rate_limited_at')}, ${kept('retry_after')},
      last_seen_at = case when app_activity.last_seen_at > excluded.last_seen_at
        then app_activity.last_seen_at else excluded.last_seen_at end`;
};

export function createAppActivityRepository(engine: Engine): AppActivityRepository {
  const { dialect } = engine;
  return {
    async totals(most = 1_000) {
      const rows = await engine.readHeavy<Omit<AppTotals, 'behind'> & { reader: string }>(
        `select a.bot_id as "botId", a.name as app, coalesce(t.sent, 0) as sent,
           coalesce(t.rate_limited, 0) as "rateLimited",
           coalesce(r.dropped, 0) as dropped, coalesce(r.name, '') as reader,
           (select count(*) from dead_letters d
             where d.bot_id = a.bot_id and d.reader = 'push:' || a.name) as "deadLetters"
         from apps a left join app_activity t on t.app_id = a.id
           left join readers r on r.bot_id = a.bot_id and r.name
             = case a.mode when 'webhook' then 'push:' else 'pull:' end || a.name
         where a.name <> $1 and a.token_hash is not null order by a.id limit $2`,
        [defaultApp, most],
      );
      const listed = rows.length === 0 ? [] : await readersBehind(engine);
      const behind = new Map(listed.map((one) => [`${one.botId} ${one.name}`, one.behind]));
      return rows.map(({ reader, ...row }) => ({
        ...row,
        sent: Number(row.sent),
        rateLimited: Number(row.rateLimited),
        dropped: Number(row.dropped),
        behind: behind.get(`${row.botId} ${reader}`) ?? 0,
        deadLetters: Number(row.deadLetters),
      }));
    },
    async activity(botId) {
      const rows = await engine.readRaw<AppActivity & { app_id: number }>(
        `select app_id, last_seen_at, sent, rate_limited, rate_limited_at, retry_after
         from app_activity
         where app_id in (select id from apps where bot_id = $1)`,
        [botId],
      );
      return new Map(rows.map(({ app_id, ...activity }) => [app_id, activity]));
    },
    async recordActivity(seen) {
      const rows = seen.map(({ botId, appId, at, sent, rateLimited: limited }) => {
        const refused = limited
          ? [limited.count, limited.at, limited.chatId, limited.retryAfterSeconds]
          : [0, 0, 0, 0];
        return [botId, appId, at, sent, ...refused];
      });
      const parameters = wordsOf[dialect].rowParameters(activityColumns, rows);
      await engine.write(() => raw(addActivity(dialect), parameters), { isApproximate: true });
    },
  };
}
