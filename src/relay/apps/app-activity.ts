/*
 * What apps did lately, added up in memory and stored now and then: a call costs no write of its own.
 */
import type { Clock } from '../../clock.ts';
import type { AppRepository, SeenApp } from '../../store/apps/apps.ts';

/** An app is known by its bot and its id; 0 is the default app. */
export interface AppActivity {
  /** It called, or took a delivery. */
  seen(botId: number, appId: number): void;
  sent(botId: number, appId: number, messages: number): void;
  /** Stores what there is, and goes on. */
  flush(): Promise<void>;
  /** Stores what there is; what is added afterwards is lost. */
  close(): Promise<void>;
}

interface AppActivityDeps {
  apps: Pick<AppRepository, 'recordActivity'>;
  clock: Clock;
  onError: (error: unknown) => void;
}

const storeEveryMs = 3_000;

export function createAppActivity({ apps, clock, onError }: AppActivityDeps): AppActivity {
  /** By the id of the app, or the negative id of the bot for its default one. */
  let unstored = new Map<number, SeenApp>();
  let cancelTimer: (() => void) | undefined;
  let isClosed = false;

  function add(botId: number, appId: number, at: number, sent: number): void {
    if (isClosed) return;
    const key = appId === 0 ? -botId : appId;
    const known = unstored.get(key);
    if (known) {
      known.at = Math.max(known.at, at);
      known.sent += sent;
    } else unstored.set(key, { botId, appId, at, sent });
    cancelTimer ??= clock.after(storeEveryMs, () => void flush());
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
      for (const { botId, appId, at, sent } of stored.values()) add(botId, appId, at, sent);
    }
  }

  return {
    seen: (botId, appId) => add(botId, appId, clock.now(), 0),
    sent: (botId, appId, messages) => add(botId, appId, 0, messages),
    flush,
    async close() {
      await flush();
      isClosed = true;
      cancelTimer?.();
    },
  };
}
