import { type Claims, compileClaims, ownClaim } from '../../core/apps/claims.ts';
import { type FilterFacts, inChat } from '../../core/apps/filter-facts.ts';
import { generalTopic } from '../../core/messages/topics.ts';
import { createPatternTimes } from '../../core/search/pattern-time.ts';
import { type DialectName, raw, type Step } from '../engine.ts';
import { type AppRow, appColumns, appFromRow } from './app-rows.ts';
import type { ClaimRegistry, Decider, OfferedUpdates } from '../log/claims.ts';
import { readSenders, type Senders, type SendersOfBot } from './senders.ts';

const capacity = 10_000;

interface Compiled {
  version: number;
  claims: Claims | undefined;
  /** The forums in which topics are those of customers of a desk. */
  forums: readonly number[];
}

/** What the append asks of desks, whose tables are above this folder. */
export interface DeskClaims {
  forumsOf(botId: number): Step<number[]>;
  /** Returns the topics of customers with these IDs, which each forum counts for itself. */
  topicsAmong(
    botId: number,
    threadIds: readonly number[],
  ): Step<readonly { chatId: number; threadId: number }[]>;
}

/** Compiles the apps of each bot once for each version of them. */
export function createClaimRegistry(
  dialect: DialectName,
  patterns = createPatternTimes().live,
  desks?: DeskClaims,
): ClaimRegistry {
  const compiled = new Map<number, Compiled>();

  function* claimsOf(botId: number, version: number): Step<Compiled> {
    const known = compiled.get(botId);
    if (known?.version === version) return known;
    const [bot] = yield* raw<{ username: string }>('select username from bots where id = $1', [
      botId,
    ]);
    const rows = yield* raw<AppRow>(
      `select ${appColumns} from apps where bot_id = $1 and (exclusive = 1 or own_replies = 1)`,
      [botId],
    );
    const claims = compileClaims(rows.map(appFromRow), bot?.username ?? '', patterns);
    const forums = desks ? yield* desks.forumsOf(botId) : [];
    if (compiled.size >= capacity) compiled.clear();
    const fresh = { version, claims, forums };
    compiled.set(botId, fresh);
    return fresh;
  }

  /** Returns a test for updates in a topic of a customer; undefined if there are none. */
  function* deskTest(
    forums: readonly number[],
    { botId, updates }: OfferedUpdates,
  ): Step<((facts: FilterFacts) => boolean) | undefined> {
    const isInForum = ({ chatId = 0, threadId = 0 }: FilterFacts) =>
      threadId > generalTopic && forums.includes(chatId);
    const named = updates.flatMap(({ facts }) => (isInForum(facts) ? [facts.threadId ?? 0] : []));
    if (!desks || named.length === 0) return undefined;
    const topics = yield* desks.topicsAmong(botId, [...new Set(named)]);
    const keys = new Set(topics.map(({ chatId, threadId }) => `${chatId} ${threadId}`));
    return (facts) => isInForum(facts) && keys.has(`${facts.chatId} ${facts.threadId}`);
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
        const ofDesks = new Map<number, (facts: FilterFacts) => boolean>();
        for (const { version, ...request } of known) {
          if (version === 0) continue;
          const ofBot = yield* claimsOf(request.botId, version);
          if (ofBot.claims) claims.set(request.botId, ofBot.claims);
          const test = yield* deskTest(ofBot.forums, request);
          const earlier = ofDesks.get(request.botId);
          if (test) {
            ofDesks.set(request.botId, (facts) => earlier?.(facts) === true || test(facts));
          }
        }
        // The senders for bots whose apps were not known before.
        const late = yield* senders(
          known.filter(({ botId }) => claims.has(botId) && !asked.has(botId)),
        );
        const deciders = new Map(
          [...claims].map(([botId, ofBot]) => [
            botId,
            decider(ofBot, asked.get(botId) ?? late.get(botId)),
          ]),
        );
        for (const [botId, test] of ofDesks) {
          deciders.set(botId, forDesk(test, deciders.get(botId)));
        }
        return deciders;
      };
    },
  };
}

/** What is said in the topic of a customer is for the desk, before any app. */
function forDesk(test: (facts: FilterFacts) => boolean, apps: Decider | undefined): Decider {
  return {
    isDecided: (updates) => apps?.isDecided(updates) ?? true,
    claimFor: (update) => (test(update.facts) ? ownClaim : (apps?.claimFor(update) ?? 0)),
    awaited: (updates) => apps?.awaited(updates) ?? [],
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
