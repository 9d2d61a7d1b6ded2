import { type Claims, compileClaims } from '../../core/apps/claims.ts';
import { inChat } from '../../core/apps/filter-facts.ts';
import { createPatternTimes } from '../../core/search/pattern-time.ts';
import { type DialectName, raw, type Step } from '../engine.ts';
import { type AppRow, appColumns, appFromRow } from './app-rows.ts';
import type { ClaimRegistry, Decider, OfferedUpdates } from '../log/claims.ts';
import { readSenders, type Senders, type SendersOfBot } from './senders.ts';

const capacity = 10_000;

/** Compiles the apps of each bot once for each version of them. */
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
    decide: (botId, updates) => compiled.get(botId)?.claims?.decide(updates),
    *begin(offered) {
      const asked = yield* senders(offered);
      return function* (known) {
        const claims = new Map<number, Claims>();
        for (const { botId, version } of known) {
          const ofBot = version === 0 ? undefined : yield* claimsOf(botId, version);
          if (ofBot) claims.set(botId, ofBot);
        }
        // The senders for bots whose apps were not known before.
        const late = yield* senders(
          known.filter(({ botId }) => claims.has(botId) && !asked.has(botId)),
        );
        return new Map(
          [...claims].map(([botId, ofBot]) => [
            botId,
            decider(ofBot, asked.get(botId) ?? late.get(botId)),
          ]),
        );
      };
    },
  };
}

function decider(claims: Claims, senders: SendersOfBot | undefined): Decider {
  /**
   * Groups that became supergroups within this commit, by their new IDs, because filters still have
   * the old ones.
   */
  const moves = new Map<number, number>();
  const inFlight = senders?.inFlight.filter(({ appId }) => claims.ownReplies.has(appId)) ?? [];
  return {
    isDecided: (updates) => updates.every(({ facts }) => claims.isDecided(facts)),
    claimFor({ facts, repliesTo, archive: { migration } }) {
      if (migration) moves.set(migration.toChatId, migration.fromChatId);
      const sender = (repliesTo && senders?.of(repliesTo)) ?? 0;
      if (claims.ownReplies.has(sender)) return sender;
      const formerId = moves.get(facts.chatId ?? 0);
      return (
        claims.exclusiveFor(facts) ||
        (formerId === undefined ? 0 : claims.exclusiveFor(inChat(facts, formerId)))
      );
    },
    awaited(updates) {
      if (inFlight.length === 0) return [];
      const chats = new Set<number>();
      for (const { repliesTo } of updates) {
        if (repliesTo && senders?.of(repliesTo) === 0) chats.add(repliesTo.chatId);
      }
      if (chats.size === 0) return [];
      return inFlight.filter(({ chatId }) => chatId === 0 || chats.has(chatId)).map(({ id }) => id);
    },
  };
}
