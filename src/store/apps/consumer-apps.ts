/* The apps as which consumers poll. A consumer that has no app yet adds one. */
import { type AppRecord, defaultApp } from '../../core/apps/app.ts';
import { requireMayPoll } from '../../core/apps/may-poll.ts';
import { type DialectName, raw, type Step } from '../engine.ts';
import { wordsOf } from '../sql/dialect.ts';
import { appsChanged } from './app-steps.ts';

type PollableApp = Pick<AppRecord, 'id' | 'name' | 'mode' | 'disabled' | 'hasToken'>;

/** Consumers without a name, or named `default`, belong to the bot itself. */
export const hasApp = (name: string): boolean => name !== '' && name !== defaultApp;

export function* lockApp(
  dialect: DialectName,
  botId: number,
  name: string,
): Step<PollableApp | undefined> {
  const forUpdate = wordsOf[dialect].lock('for update');
  const [app] = yield* raw<
    Omit<PollableApp, 'disabled' | 'hasToken'> & { disabled: number; hasToken: number }
  >(
    `select id, name, mode, disabled, case when token_hash is null then 0 else 1 end as "hasToken"
     from apps where bot_id = $1 and name = $2 ${forUpdate}`,
    [botId, name],
  );
  return app && { ...app, disabled: app.disabled === 1, hasToken: app.hasToken === 1 };
}

/** Returns false if the bot is gone or has too many apps. */
export function* findOrAddApp(
  dialect: DialectName,
  { botId, name, nowMs, most }: { botId: number; name: string; nowMs: number; most: number },
): Step<boolean> {
  let app = yield* lockApp(dialect, botId, name);
  if (!app) {
    // This locks the end of the log, so that of two concurrent calls the second counts the first.
    if (!(yield* appsChanged(botId, nowMs))) return false;
    app = yield* lockApp(dialect, botId, name);
  }
  if (app) {
    requireMayPoll(app);
    return true;
  }
  const [counted] = yield* raw<{ n: number }>(
    'select count(*) as n from apps where bot_id = $1 and name <> $2',
    [botId, defaultApp],
  );
  if ((counted?.n ?? 0) >= most) return false;
  yield* raw('insert into apps (bot_id, name, created_at, updated_at) values ($1, $2, $3, $3)', [
    botId,
    name,
    nowMs,
  ]);
  return true;
}
