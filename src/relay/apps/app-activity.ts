/*
 * Adds up in memory what apps did, and stores it every few seconds, so that a call costs no extra
 * write.
 */
import type { Clock } from '../../clock.ts';
import type { AppActivityRepository, SeenApp } from '../../store/apps/app-activity.ts';

/** An app is identified by its bot and its ID; 0 is the default app. */
export interface AppActivity {
  /** The app called the Bot API or took a delivery. */
  seen(botId: number, appId: number): void;
  sent(botId: number, appId: number, messages: number): void;
  /** Telegram answered the app with 429. */
  rateLimited(botId: number, appId: number, refusal: AppRefusal): void;
  /** Stores what was added so far and keeps collecting. */
  flush(): Promise<void>;
  /** Stores what was added so far; later additions are lost. */
  close(): Promise<void>;
}

interface AppRefusal {
  /** 0 if the chat is not known. */
  chatId: number;
  retryAfterSeconds: number;
}

interface AppActivityDeps {
  apps: Pick<AppActivityRepository, 'recordActivity'>;
  clock: Clock;
  onError: (error: unknown) => void;
}

const storeEveryMs = 3_000;

export function createAppActivity({ apps, clock, onError }: AppActivityDeps): AppActivity {
  /** The key is the ID of the app, or the negative ID of the bot for its default app. */
  let unstored = new Map<number, SeenApp>();
  let cancelTimer: (() => void) | undefined;
  let isClosed = false;

  function add(added: SeenApp): void {
    if (isClosed) return;
    const key = added.appId === 0 ? -added.botId : added.appId;
    const known = unstored.get(key);
    if (known) {
      known.at = Math.max(known.at, added.at);
      known.sent += added.sent;
      if (added.rateLimited) addRefusals(known, added.rateLimited);
    } else unstored.set(key, added);
    cancelTimer ??= clock.after(storeEveryMs, () => void flush());
  }

  function addRefusals(known: SeenApp, added: NonNullable<SeenApp['rateLimited']>): void {
    const before = known.rateLimited;
    const last = before && before.at > added.at ? before : added;
    known.rateLimited = {
      ...last,
      count: added.count + (before?.count ?? 0),
      chatId: before && before.chatId !== added.chatId ? 0 : added.chatId,
    };
  }

  async function flush(): Promise<void> {
    cancelTimer?.();
    cancelTimer = undefined;
    if (unstored.size === 0) return;
    const stored = unstored;
    unstored = new Map();
    try {
      await apps.recordActivity([...stored.values()]);
    } catch (error) {
      onError(error);
      for (const seen of stored.values()) add(seen);
    }
  }

  return {
    seen: (botId, appId) => add({ botId, appId, at: clock.now(), sent: 0 }),
    sent: (botId, appId, messages) => add({ botId, appId, at: 0, sent: messages }),
    rateLimited(botId, appId, refusal) {
      const rateLimited = { count: 1, at: clock.now(), ...refusal };
      add({ botId, appId, at: 0, sent: 0, rateLimited });
    },
    flush,
    async close() {
      await flush();
      isClosed = true;
      cancelTimer?.();
    },
  };
}
