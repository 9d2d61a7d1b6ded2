import { type Claims, compileClaims } from '../../core/apps/claims.ts';
import type { IncomingUpdate } from '../../core/log/update-facts.ts';
import { createPatternTimes } from '../../core/search/pattern-time.ts';
import { raw, type Step } from '../engine.ts';
import { type AppRow, appColumns, appFromRow } from './app-rows.ts';

interface OfferedUpdates {
  botId: number;
  updates: readonly IncomingUpdate[];
  /** Of the bot's apps, as the transaction that stores the updates sees it. */
  version: number;
}

/** Decides which app an update is for, within the transaction that stores it. */
export interface ClaimRegistry {
  /** Only those that an app claims. */
  decide(offered: readonly OfferedUpdates[]): Step<ReadonlyMap<IncomingUpdate, number>>;
}

const noClaims: ReadonlyMap<IncomingUpdate, number> = new Map();
const capacity = 10_000;

/** The apps of each bot are compiled once for each version of them. */
export function createClaimRegistry(patterns = createPatternTimes().live): ClaimRegistry {
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

  function* senderOf(botId: number, { archive }: IncomingUpdate): Step<number> {
    // Of a message that answers another, and of a press of its buttons.
    const [message] = archive.messages;
    if (!message || message.replyToMessageId === null) return 0;
    const [sent] = yield* raw<{ app_id: number }>(
      `select app_id from app_messages where bot_id = $1 and chat_id = $2 and message_id = $3`,
      [botId, message.chatId, message.replyToMessageId],
    );
    return sent?.app_id ?? 0;
  }

  return {
    *decide(offered) {
      let decided: Map<IncomingUpdate, number> | undefined;
      for (const { botId, updates, version } of offered) {
        if (version === 0) continue;
        const claims = yield* claimsOf(botId, version);
        if (!claims) continue;
        for (const update of updates) {
          const sender = claims.ownReplies.size > 0 ? yield* senderOf(botId, update) : 0;
          const app = claims.ownReplies.has(sender) ? sender : claims.exclusiveFor(update.facts);
          if (app !== 0) (decided ??= new Map()).set(update, app);
        }
      }
      return decided ?? noClaims;
    },
  };
}
