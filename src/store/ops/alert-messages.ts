/*
 * What each channel was told about each alert.
 *
 * Invariants: a send is queued in the commit that records it, under a key that is taken once, so
 * nodes and restarts send it once; of the nodes that see a webhook call due, one claims it.
 */
import type { AlertRecord } from '../../core/ops/alerts.ts';
import { type Engine, raw, type Step } from '../engine.ts';
import { enqueueIntent, type OutboxIntent } from '../outbox/outbox.ts';
import { noteChannelError } from './alert-channels.ts';
import { type AlertRow, toAlert } from './alert-log.ts';

/** skipped: the channel could not be used, `instead` may name another one. */
export type AlertMessageState = 'sending' | 'sent' | 'failed' | 'skipped';

export interface AlertMessage {
  alertId: number;
  channelId: number;
  /** The alert whose message it is in: the first one of a digest, otherwise itself. */
  thread: number;
  state: AlertMessageState;
  /** Of the alert, as it was last sent. */
  version: number;
  /** Key of the last send; '' for a webhook. */
  intent: string;
  /** 0 while it is not known. */
  messageId: number;
  /** Of a webhook call. */
  body: string;
  attempts: number;
  nextAt: number;
  error: string;
  instead: number;
  updatedAt: number;
}

export interface AlertMessageRepository {
  /** Alerts that are open or not told to the end, with what was told of them. */
  pending(): Promise<{ alerts: AlertRecord[]; messages: AlertMessage[] }>;
  ofAlerts(alertIds: readonly number[]): Promise<AlertMessage[]>;
  get(alertId: number, channelId: number): Promise<AlertMessage | undefined>;
  /** False when another node began one of them. `alerts` share one message. */
  begin(
    channelId: number,
    alerts: readonly AlertRecord[],
    send: { intent: OutboxIntent } | { body: string },
    nowMs: number,
  ): Promise<boolean>;
  /** The same for a message that was sent before. */
  renew(
    messages: readonly AlertMessage[],
    alerts: ReadonlyMap<number, AlertRecord>,
    send: { intent: OutboxIntent } | { body: string },
    nowMs: number,
  ): Promise<boolean>;
  skip(
    alertId: number,
    channelId: number,
    error: string,
    instead: number,
    nowMs: number,
  ): Promise<void>;
  /** Of all alerts in the message. */
  sent(message: AlertMessage, messageId: number, nowMs: number): Promise<void>;
  /** Also of the channel. A send that still waits in the outbox is withdrawn. */
  failed(message: AlertMessage, error: string, instead: number, nowMs: number): Promise<void>;
  /** False when another node makes the call. */
  claim(message: AlertMessage, untilMs: number): Promise<boolean>;
  postpone(message: AlertMessage, error: string, nextAt: number): Promise<void>;
}

const columns = `alert_id as "alertId", channel_id as "channelId", thread, state, version, intent,
  message_id as "messageId", body, attempts, next_at as "nextAt", error, instead,
  updated_at as "updatedAt"`;

const stillToTell = `exists (select 1 from alert_messages m where m.alert_id = alerts.id
  and (m.state = 'sending' or (m.state = 'sent' and m.version < alerts.version)))`;

export function createAlertMessageRepository(engine: Engine): AlertMessageRepository {
  const list = (ids: readonly number[]) =>
    engine.dialect === 'sqlite' ? JSON.stringify(ids) : [...ids];
  const isIn = (parameter: string) =>
    engine.dialect === 'sqlite'
      ? `in (select value from json_each(${parameter}))`
      : `= any(${parameter}::bigint[])`;

  const ofAlerts = (alertIds: readonly number[]) =>
    engine.readRaw<AlertMessage>(
      `select ${columns} from alert_messages where alert_id ${isIn('$1')} order by alert_id, channel_id`,
      [list(alertIds)],
    );

  /** Of the message of a channel that has this alert in it. */
  const inThread = 'channel_id = $1 and thread = $2';

  class Taken extends Error {}
  /** Undoes the transaction where another node was faster. */
  async function unlessTaken(job: () => Step<void>): Promise<boolean> {
    try {
      await engine.write(job);
      return true;
    } catch (error) {
      if (error instanceof Taken) return false;
      throw error;
    }
  }

  function* queue(send: { intent: OutboxIntent } | { body: string }, nowMs: number): Step<void> {
    if (!('intent' in send)) return;
    if ((yield* enqueueIntent(send.intent, nowMs)) === undefined) throw new Taken();
  }

  return {
    async pending() {
      const rows = await engine.readRaw<AlertRow>(
        `select * from alerts where resolved_at = 0 or ${stillToTell} order by id`,
        [],
      );
      const messages = await engine.readRaw<AlertMessage>(
        `select ${columns} from alert_messages m where exists (
           select 1 from alert_messages n where n.alert_id ${isIn('$1')}
             and n.channel_id = m.channel_id and n.thread = m.thread) order by alert_id, channel_id`,
        [list(rows.map(({ id }) => id))],
      );
      const known = new Set(rows.map(({ id }) => id));
      const others = messages.map(({ alertId }) => alertId).filter((id) => !known.has(id));
      // The rest of a digest is shown with what changed in it.
      const told =
        others.length === 0
          ? []
          : await engine.readRaw<AlertRow>(`select * from alerts where id ${isIn('$1')}`, [
              list(others),
            ]);
      return { alerts: [...rows, ...told].map(toAlert), messages };
    },
    ofAlerts,
    get: async (alertId, channelId) =>
      (await ofAlerts([alertId])).find((one) => one.channelId === channelId),
    begin: (channelId, alerts, send, nowMs) =>
      unlessTaken(function* () {
        const [{ id: thread } = { id: 0 }] = alerts;
        for (const { id, version } of alerts) {
          const [row] = yield* raw(
            `insert into alert_messages (alert_id, channel_id, thread, state, version, intent, body, updated_at)
             values ($1, $2, $3, 'sending', $4, $5, $6, $7) on conflict do nothing returning alert_id`,
            [
              id,
              channelId,
              thread,
              version,
              'intent' in send ? send.intent.intentKey : '',
              'body' in send ? send.body : '',
              nowMs,
            ],
          );
          if (!row) throw new Taken();
        }
        yield* queue(send, nowMs);
      }),
    renew: (messages, alerts, send, nowMs) =>
      unlessTaken(function* () {
        for (const message of messages) {
          const [row] = yield* raw(
            `update alert_messages set state = 'sending', version = $3, intent = $4, body = $5,
               attempts = 0, next_at = 0, error = '', updated_at = $6
             where alert_id = $1 and channel_id = $2 and state = 'sent' and version = $7
             returning alert_id`,
            [
              message.alertId,
              message.channelId,
              alerts.get(message.alertId)?.version ?? message.version,
              'intent' in send ? send.intent.intentKey : '',
              'body' in send ? send.body : '',
              nowMs,
              message.version,
            ],
          );
          if (!row) throw new Taken();
        }
        yield* queue(send, nowMs);
      }),
    async skip(alertId, channelId, error, instead, nowMs) {
      await engine.write(() =>
        raw(
          `insert into alert_messages (alert_id, channel_id, thread, state, error, instead, updated_at)
           values ($1, $2, $1, 'skipped', $3, $4, $5) on conflict do nothing`,
          [alertId, channelId, error, instead, nowMs],
        ),
      );
    },
    sent: ({ channelId, intent, thread }, messageId, nowMs) =>
      engine.write(function* () {
        yield* raw(
          `update alert_messages set state = 'sent', message_id = $3, error = '', updated_at = $4
           where ${inThread} and state = 'sending'`,
          [channelId, thread, messageId, nowMs],
        );
        // Without a message id, it is not known whether a send arrived.
        if (intent === '' || messageId !== 0) yield* noteChannelError(channelId, '', nowMs);
      }),
    failed: ({ channelId, thread, intent }, error, instead, nowMs) =>
      engine.write(function* () {
        if (intent !== '') {
          yield* raw(
            `update outbox set state = 'failed', error = $2, updated_at = $3
             where intent_key = $1 and state = 'queued'`,
            [intent, error, nowMs],
          );
        }
        yield* raw(
          `update alert_messages set state = 'failed', error = $3, instead = $4, updated_at = $5
           where ${inThread} and state = 'sending'`,
          [channelId, thread, error, instead, nowMs],
        );
        yield* noteChannelError(channelId, error, nowMs);
      }),
    claim: ({ alertId, channelId, attempts }, untilMs) =>
      engine.write(function* () {
        const rows = yield* raw(
          `update alert_messages set attempts = attempts + 1, next_at = $4
           where alert_id = $1 and channel_id = $2 and state = 'sending' and attempts = $3
           returning alert_id`,
          [alertId, channelId, attempts, untilMs],
        );
        return rows.length > 0;
      }),
    async postpone({ alertId, channelId }, error, nextAt) {
      await engine.write(() =>
        raw(
          `update alert_messages set error = $3, next_at = $4
           where alert_id = $1 and channel_id = $2 and state = 'sending'`,
          [alertId, channelId, error, nextAt],
        ),
      );
    },
  };
}
