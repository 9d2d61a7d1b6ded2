import { reason } from '../../core/reasons/reason.ts';
import { RelayError } from '../../errors.ts';
import { requireMayPoll } from '../../core/apps/may-poll.ts';
import { removeReadersOf } from './app-queues.ts';
import { appsChanged } from './app-steps.ts';
import { findOrAddApp, hasApp, lockApp } from './consumer-apps.ts';
import { writeState } from '../../core/log/consumer-state.ts';
import { type Engine, raw, type Step } from '../engine.ts';
import { startBesidePush } from '../delivery/hand-over-queue.ts';
import { readerOf } from '../../core/log/reader-kinds.ts';
import { allowedUpdatesHistoryFor } from '../delivery/webhooks.ts';

/** The cursor of a client that polls, in a bot's log. */
export interface Cursor {
  /** Everything up to this position is confirmed. */
  position: number;
  /** The state of the consumer as JSON; '' if it never polled. */
  state: string;
}

/** The facts needed to decide about an update. */
export interface LogMark {
  position: number;
  updateId: number;
  kind: string;
  claimedBy: number;
  receivedAt: number;
  /** Empty if the text was not requested. */
  raw: string;
}

export interface ConsumerRepository {
  /**
   * With `appId`, finds the cursor only while that app exists: another app may have its name by
   * now.
   */
  find(botId: number, name: string, appId?: number): Promise<Cursor | undefined>;
  /**
   * Creates the consumer at the log's end or, next to a webhook, at the cursor of its push reader.
   * If the bot has no app of this name, one is created; undefined if the bot is gone or has `most`
   * apps already. With `appId` no app is created, and undefined means that this app is gone. Throws
   * if clients may not poll as the app.
   */
  open(
    botId: number,
    name: string,
    nowMs: number,
    most: number,
    appId?: number,
  ): Promise<Cursor | undefined>;
  /** Moves it from one cursor to the next; false if it is no longer where the caller saw it. */
  move(
    botId: number,
    name: string,
    step: { from: Cursor; to: Cursor; appId?: number | undefined },
    nowMs: number,
  ): Promise<boolean>;
  /**
   * Removes the consumer with its app, unless the app has a token. Returns its position; undefined
   * if there is none.
   */
  remove(botId: number, name: string, nowMs: number): Promise<{ position: number } | undefined>;
  /** Lists marks in order, after a position. */
  marks(botId: number, after: number, limit: number, withText?: boolean): Promise<LogMark[]>;
  /** Lists marks newest first, between two positions, neither included. */
  marksBackward(
    botId: number,
    between: { after: number; before: number },
    limit: number,
    withText?: boolean,
  ): Promise<LogMark[]>;
}

export function createConsumerRepository(engine: Engine): ConsumerRepository {
  const markColumns = (withText: boolean) =>
    `position, update_id as "updateId", kind, claimed_by as "claimedBy",
     received_at as "receivedAt", ${withText ? 'raw' : `'' as raw`}`;
  const { dialect } = engine;
  const findSql = 'select position, state from readers where bot_id = $1 and name = $2';
  /** SQL: a condition on the app whose ID is in this parameter, if there is one. */
  const whileApp = (appId: number | undefined, parameter: string) =>
    appId === undefined ? '' : `and exists (select 1 from apps where id = ${parameter})`;
  const idIn = (appId: number | undefined) => (appId === undefined ? [] : [appId]);

  function* open(
    botId: number,
    name: string,
    nowMs: number,
    most: number,
    appId?: number,
  ): Step<Cursor | undefined> {
    const app = appId === undefined ? undefined : yield* lockApp(dialect, botId, name);
    if (app?.id !== appId) return undefined;
    const [known] = yield* raw<Cursor>(findSql, [botId, readerOf('pull', name)]);
    if (known) return known;
    if (app) requireMayPoll(app);
    else if (hasApp(name) && !(yield* findOrAddApp(dialect, { botId, name, nowMs, most })))
      return undefined;
    const beside = yield* startBeside(botId, readerOf('push', name));
    const position = beside ? '$4' : 'coalesce(log_heads.last_position, 0)';
    yield* raw(
      `insert into readers (bot_id, name, position, opened, state, created_at, updated_at)
       select bots.id, $1, ${position}, ${position}, ${beside ? '$5' : `''`}, $2, $2
       from bots left join log_heads on log_heads.bot_id = bots.id where bots.id = $3
       on conflict (bot_id, name) do nothing`,
      [readerOf('pull', name), nowMs, botId, ...(beside ? [beside.position, beside.state] : [])],
    );
    const [made] = yield* raw<Cursor>(findSql, [botId, readerOf('pull', name)]);
    return made;
  }

  function* remove(
    botId: number,
    name: string,
    nowMs: number,
  ): Step<{ position: number } | undefined> {
    const reader = readerOf('pull', name);
    const [known] = yield* raw<Cursor>(findSql, [botId, reader]);
    if (!known) return undefined;
    if (hasApp(name)) {
      // Locks are taken in the same order as in changes of an app.
      yield* appsChanged(botId, nowMs);
      const app = yield* lockApp(dialect, botId, name);
      if (app?.hasToken) {
        throw new RelayError('conflict', reason('app_has_token', { bot_id: botId, app: name }));
      }
    }
    const [removed] = yield* raw<{ position: number }>(
      'delete from readers where bot_id = $1 and name = $2 returning position',
      [botId, reader],
    );
    if (removed && hasApp(name)) {
      yield* removeReadersOf(botId, name, 'remove history');
      yield* raw('delete from apps where bot_id = $1 and name = $2', [botId, name]);
    }
    return removed;
  }

  return {
    async find(botId, name, appId) {
      const [cursor] = await engine.readRaw<Cursor>(`${findSql} ${whileApp(appId, '$3')}`, [
        botId,
        readerOf('pull', name),
        ...idIn(appId),
      ]);
      return cursor;
    },
    open: (botId, name, nowMs, most, appId) =>
      engine.write(() => open(botId, name, nowMs, most, appId)),
    move: (botId, name, { from, to, appId }, nowMs) =>
      engine.write(
        function* () {
          const result = yield {
            sql: `update readers set position = $1,
                opened = case when opened < $1 then opened else $1 end, state = $2,
                updated_at = case when position = $1 then updated_at else $3 end
              where bot_id = $4 and name = $5 and position = $6 and state = $7
                ${whileApp(appId, '$8')}`,
            parameters: [
              to.position,
              to.state,
              nowMs,
              botId,
              readerOf('pull', name),
              from.position,
              from.state,
              ...idIn(appId),
            ],
          };
          return result.changes > 0;
        },
        { isSingle: true, ofBot: botId },
      ),
    remove: (botId, name, nowMs) => engine.write(() => remove(botId, name, nowMs)),
    marks: (botId, after, limit, withText = false) =>
      engine.readRaw(
        `select ${markColumns(withText)} from log where bot_id = $1 and position > $2
         order by position limit $3`,
        [botId, after, limit],
      ),
    marksBackward: (botId, { after, before }, limit, withText = false) =>
      engine.readRaw(
        `select ${markColumns(withText)} from log where bot_id = $1 and position > $2 and position < $3
         order by position desc limit $4`,
        [botId, after, before, limit],
      ),
  };
}

/** Starts a consumer while a webhook has the queue: polls do not return what the webhook took. */
function* startBeside(botId: number, push: string): Step<Cursor | undefined> {
  const history = yield* allowedUpdatesHistoryFor(botId, push);
  if (!history) return undefined;
  const { position, finished } = yield* startBesidePush(botId, push);
  const own = finished.length > 0 ? { finished } : {};
  return {
    position,
    state: writeState({ shown: null, allowedUpdatesHistory: history, rewound: true, ...own }),
  };
}
