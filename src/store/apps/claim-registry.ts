import { type Claims, compileClaims } from '../../core/apps/claims.ts';
import type { IncomingUpdate, MessageOfChat } from '../../core/log/update-facts.ts';
import { createPatternTimes } from '../../core/search/pattern-time.ts';
import { type DialectName, raw, type Step } from '../engine.ts';
import { type AppRow, appColumns, appFromRow } from './app-rows.ts';

interface OfferedUpdates {
  botId: number;
  updates: readonly IncomingUpdate[];
}

/** By bot, chat and message: the app that sent it. Bots that were not asked about have none. */
export type Senders = ReadonlyMap<number, ReadonlyMap<string, number>>;

/** Decides which app an update is for, within the transaction that stores it. */
export interface ClaimRegistry {
  /** Asks who sent what is replied to, for bots of which it is known that an app wants to know. */
  senders(offered: readonly OfferedUpdates[]): Step<Senders>;
  /**
   * Only those that an app claims. The version is that of the bot's apps, as the transaction that stores
   * the updates sees it.
   */
  decide(
    offered: readonly (OfferedUpdates & { version: number })[],
    senders: Senders,
  ): Step<ReadonlyMap<IncomingUpdate, number>>;
}

const noClaims: ReadonlyMap<IncomingUpdate, number> = new Map();
const capacity = 10_000;

/** The apps of each bot are compiled once for each version of them. */
export function createClaimRegistry(
  dialect: DialectName,
  patterns = createPatternTimes().live,
): ClaimRegistry {
  const compiled = new Map<number, { version: number; claims: Claims | undefined }>();

  function* claimsOf(botId: number, version: number): Step<Claims | undefined> {
    const known = compiled.get(botId);
    if (known?.version === version) return known.claims;
    const [bot] = yield* raw<{ username: string }>('select username from bots where id = $1', [
      botId,
    ]);
    const rows = yield* raw<AppRow>(
      `select ${appColumns} from apps where bot_id = $1 and (exclusive = 1 or own_replies = 1)`,
      [botId],
    );
    const claims = compileClaims(rows.map(appFromRow), bot?.username ?? '', patterns);
    if (compiled.size >= capacity) compiled.clear();
    compiled.set(botId, { version, claims });
    return claims;
  }

  function* senders(offered: readonly OfferedUpdates[]): Step<Senders> {
    const wanted = offered.filter(
      ({ botId }) => (compiled.get(botId)?.claims?.ownReplies.size ?? 0) > 0,
    );
    return wanted.length > 0 ? yield* readSenders(dialect, wanted) : new Map();
  }

  return {
    senders,
    *decide(offered, asked) {
      let decided: Map<IncomingUpdate, number> | undefined;
      const claimed = [];
      for (const { botId, updates, version } of offered) {
        const claims = version === 0 ? undefined : yield* claimsOf(botId, version);
        if (claims) claimed.push({ botId, updates, claims });
      }
      const late = yield* senders(claimed.filter(({ botId }) => !asked.has(botId)));
      for (const { botId, updates, claims } of claimed) {
        const known = asked.get(botId) ?? late.get(botId);
        for (const update of updates) {
          const { facts, repliesTo } = update;
          const sender = (repliesTo && known?.get(keyOf(repliesTo))) ?? 0;
          const app = claims.ownReplies.has(sender) ? sender : claims.exclusiveFor(facts);
          if (app !== 0) (decided ??= new Map()).set(update, app);
        }
      }
      return decided ?? noClaims;
    },
  };
}

const keyOf = ({ chatId, messageId }: MessageOfChat): string => `${chatId} ${messageId}`;

/** One question for all of them: they share a commit, in which the logs of all its bots are locked. */
function* readSenders(dialect: DialectName, offered: readonly OfferedUpdates[]): Step<Senders> {
  const senders = new Map<number, Map<string, number>>();
  const wanted = new Map<string, readonly [bot: number, chat: number, message: number]>();
  for (const { botId, updates } of offered) {
    senders.set(botId, new Map());
    for (const { repliesTo } of updates) {
      if (!repliesTo) continue;
      const { chatId, messageId } = repliesTo;
      wanted.set(`${botId} ${keyOf(repliesTo)}`, [botId, chatId, messageId]);
    }
  }
  if (wanted.size === 0) return senders;
  const keys = [...wanted.values()];
  const rows = yield* raw<{ botId: number; chatId: number; messageId: number; app: number }>(
    `select k.bot_id as "botId", k.chat_id as "chatId", k.message_id as "messageId",
       (select app_id from app_messages m
        where m.bot_id = k.bot_id and m.chat_id = k.chat_id and m.message_id = k.message_id) as app
     from ${keysFrom[dialect]}`,
    dialect === 'sqlite'
      ? [JSON.stringify(keys)]
      : [0, 1, 2].map((part) => keys.map((key) => key[part])),
  );
  for (const { botId, app, ...message } of rows) {
    if (app !== null) senders.get(botId)?.set(keyOf(message), app);
  }
  return senders;
}

const keysFrom: Record<DialectName, string> = {
  sqlite: `(select value ->> 0 as bot_id, value ->> 1 as chat_id, value ->> 2 as message_id
    from json_each($1)) k`,
  postgres: 'unnest($1::bigint[], $2::bigint[], $3::bigint[]) as k (bot_id, chat_id, message_id)',
};
