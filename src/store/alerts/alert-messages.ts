/*
 * Stores what each channel was sent about each alert.
 *
 * Invariants: a send is queued in the commit that changes its row from the state that was seen, so
 * nodes and restarts send it once; the result of a send changes only the row that still waits for
 * it; of the nodes that see a due webhook call, one claims it.
 */
import type { Alert } from '../../core/alerts/alerts.ts';
import { type Engine, raw, type Step } from '../engine.ts';
import { wordsOf } from '../sql/dialect.ts';
import { enqueueIntent, type OutboxIntent } from '../outbox/outbox.ts';
import { noteChannelError } from './alert-channels.ts';
import { type AlertRow, toAlert } from './alert-log.ts';

/**
 * - sending: the message is in the outbox, or is a call that is repeated.
 * - sent: the channel got `version`.
 * - failed, skipped: the channel could not get it; `instead` may name another one that does.
 */
export type AlertMessageState = 'sending' | 'sent' | 'failed' | 'skipped';

export interface AlertMessage {
  alertId: number;
  channelId: number;
  /** The alert whose message this one shares: the first of a digest, otherwise itself. */
  thread: number;
  state: AlertMessageState;
  /** The version of the alert that was last sent. */
  version: number;
  /** The key of the last send; '' for a webhook. */
  intent: string;
  /** 0 while it is unknown. For a webhook: 1 once a call was accepted. */
  messageId: number;
  /** The body of a webhook call. */
  body: string;
  attempts: number;
  nextAt: number;
  error: string;
  instead: number;
  updatedAt: number;
}

type Send = { intent: OutboxIntent } | { body: string };

/** Returns the channel that gets an alert in place of another one; 0 for none. */
export type Substitute = (alertId: number) => number;

export interface AlertMessageRepository {
  /**
   * Returns alerts that are open or whose end was not sent everywhere, with what was sent about
   * them. The end of an alert that was resolved before `sinceMs` is not sent any more.
   */
  pending(sinceMs: number): Promise<{ alerts: Alert[]; messages: AlertMessage[] }>;
  ofAlerts(alertIds: readonly number[]): Promise<AlertMessage[]>;
  get(alertId: number, channelId: number): Promise<AlertMessage | undefined>;
  /** Returns false if another node began one of them. `alerts` share one message. */
  begin(channelId: number, alerts: readonly Alert[], send: Send, nowMs: number): Promise<boolean>;
  /** Continues a message that was sent before: edits it, or sends it again. */
  renew(
    messages: readonly AlertMessage[],
    alerts: ReadonlyMap<number, Alert>,
    send: Send,
    messageId: number,
    nowMs: number,
  ): Promise<boolean>;
  /** Records that the channel cannot be used for an alert that it was not sent. */
  skip(
    alertId: number,
    channelId: number,
    error: string,
    instead: number,
    nowMs: number,
  ): Promise<void>;
  /** Records the result for all alerts in the message. */
  sent(message: AlertMessage, messageId: number, nowMs: number): Promise<void>;
  /** Records a failure, also for the channel. */
  failed(message: AlertMessage, error: string, instead: Substitute, nowMs: number): Promise<void>;
  /** Does the same for a send that waits in the outbox, unless it has begun. */
  withdraw(message: AlertMessage, error: string, instead: Substitute, nowMs: number): Promise<void>;
  /** Returns false if another node makes the call. */
  claim(message: AlertMessage, untilMs: number): Promise<boolean>;
  /** Postpones a call; meanwhile the channel `instead` gets the alert, unless it is 0. */
  postpone(
    message: AlertMessage,
    error: string,
    nextAt: number,
    instead: number,
    nowMs: number,
  ): Promise<void>;
}

const columns = `alert_id as "alertId", channel_id as "channelId", thread, state, version, intent,
  message_id as "messageId", body, attempts, next_at as "nextAt", error, instead,
  updated_at as "updatedAt"`;

const stillToTell = `exists (select 1 from alert_messages m where m.alert_id = alerts.id
  and (m.state = 'sending' or (m.state = 'sent' and m.version < alerts.version)
    or (m.state = 'failed' and m.message_id <> 0)))`;

const intentOf = (send: Send) => ('intent' in send ? (send.intent.intentKey ?? '') : '');
const bodyOf = (send: Send) => ('body' in send ? send.body : '');

export function createAlertMessageRepository(engine: Engine): AlertMessageRepository {
  const { isIn, list } = wordsOf[engine.dialect];

  const ofAlerts = (alertIds: readonly number[]) =>
    engine.readRaw<AlertMessage>(
      `select ${columns} from alert_messages where ${isIn('alert_id', '$1')} order by alert_id, channel_id`,
      [list(alertIds)],
    );

  /**
   * SQL: the row still waits for this send or call, so late results change nothing. A digest shares
   * one send, so its key is enough; calls have no key, but one alert each.
   */
  const isInFlight = `channel_id = $1 and thread = $2 and state = 'sending' and intent = $3
    and (intent <> '' or version = $4)`;
  const inFlight = ({ channelId, thread, intent, version }: AlertMessage) => [
    channelId,
    thread,
    intent,
    version,
  ];

  function* fail(
    message: AlertMessage,
    error: string,
    instead: Substitute,
    nowMs: number,
  ): Step<void> {
    const rows = yield* raw<{ alertId: number }>(
      `update alert_messages set state = 'failed', error = $5, updated_at = $6,
         thread = case when message_id = 0 then alert_id else thread end
       where ${isInFlight} and attempts = $7 returning alert_id as "alertId"`,
      [...inFlight(message), error, nowMs, message.attempts],
    );
    for (const { alertId } of rows) {
      yield* raw('update alert_messages set instead = $3 where alert_id = $1 and channel_id = $2', [
        alertId,
        message.channelId,
        instead(alertId),
      ]);
    }
    if (rows.length > 0) yield* noteChannelError(message.channelId, error, nowMs);
  }

  class Taken extends Error {}
  /** Undoes the transaction if another node was faster. */
  async function unlessTaken(job: () => Step<void>): Promise<boolean> {
    try {
      await engine.write(job);
      return true;
    } catch (error) {
      if (error instanceof Taken) return false;
      throw error;
    }
  }

  function* queue(send: Send, nowMs: number): Step<void> {
    if (!('intent' in send)) return;
    if ((yield* enqueueIntent(send.intent, nowMs)) === undefined) throw new Taken();
  }

  return {
    async pending(sinceMs) {
      const rows = await engine.readRaw<AlertRow>(
        `select * from alerts where resolved_at = 0 or (resolved_at > $1 and ${stillToTell})
         order by id`,
        [sinceMs],
      );
      const messages = await engine.readRaw<AlertMessage>(
        `select ${columns} from alert_messages where (channel_id, thread) in (
           select channel_id, thread from alert_messages where ${isIn('alert_id', '$1')})
         order by alert_id, channel_id`,
        [list(rows.map(({ id }) => id))],
      );
      const known = new Set(rows.map(({ id }) => id));
      const others = messages.map(({ alertId }) => alertId).filter((id) => !known.has(id));
      // The other alerts of a digest are shown together with those that changed.
      const told =
        others.length === 0
          ? []
          : await engine.readRaw<AlertRow>(`select * from alerts where ${isIn('id', '$1')}`, [
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
            `insert into alert_messages as m
               (alert_id, channel_id, thread, state, version, intent, body, updated_at)
             values ($1, $2, $3, 'sending', $4, $5, $6, $7)
             on conflict (alert_id, channel_id) do update set thread = $3, state = 'sending',
               version = $4, intent = $5, body = $6, updated_at = $7, attempts = 0, next_at = 0,
               error = '', instead = 0
             where m.state in ('failed', 'skipped') and m.message_id = 0 returning alert_id`,
            [id, channelId, thread, version, intentOf(send), bodyOf(send), nowMs],
          );
          if (!row) throw new Taken();
        }
        yield* queue(send, nowMs);
      }),
    renew: (messages, alerts, send, messageId, nowMs) =>
      unlessTaken(function* () {
        for (const { alertId, channelId, intent, state, version } of messages) {
          const [row] = yield* raw(
            `update alert_messages set state = 'sending', version = $3, intent = $4, body = $5,
               message_id = $6, attempts = 0, next_at = 0, error = '', instead = 0, updated_at = $7
             where alert_id = $1 and channel_id = $2 and state = $8 and version = $9 and intent = $10
             returning alert_id`,
            [
              alertId,
              channelId,
              alerts.get(alertId)?.version ?? version,
              intentOf(send),
              bodyOf(send),
              messageId,
              nowMs,
              state,
              version,
              intent,
            ],
          );
          if (!row) throw new Taken();
        }
        yield* queue(send, nowMs);
      }),
    async skip(alertId, channelId, error, instead, nowMs) {
      await engine.write(() =>
        raw(
          `insert into alert_messages as m
             (alert_id, channel_id, thread, state, error, instead, updated_at)
           values ($1, $2, $1, 'skipped', $3, $4, $5)
           on conflict (alert_id, channel_id) do update set instead = $4
           where m.state in ('failed', 'skipped')`,
          [alertId, channelId, error, instead, nowMs],
        ),
      );
    },
    sent: (message, messageId, nowMs) =>
      engine.write(function* () {
        const rows = yield* raw(
          `update alert_messages set state = 'sent', message_id = $5, error = '', instead = 0,
             updated_at = $6
           where ${isInFlight} returning alert_id`,
          [...inFlight(message), messageId, nowMs],
        );
        // Without a message ID, it is unknown whether a send arrived.
        if (rows.length > 0 && messageId !== 0) {
          yield* noteChannelError(message.channelId, '', nowMs);
        }
      }),
    failed: (message, error, instead, nowMs) =>
      engine.write(() => fail(message, error, instead, nowMs)),
    withdraw: (message, error, instead, nowMs) =>
      engine.write(function* () {
        const rows = yield* raw(
          `update outbox set state = 'failed', error = $2, updated_at = $3
           where intent_key = $1 and state = 'queued' returning id`,
          [message.intent, error, nowMs],
        );
        if (rows.length > 0) yield* fail(message, error, instead, nowMs);
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
    postpone: (message, error, nextAt, instead, nowMs) =>
      engine.write(function* () {
        const rows = yield* raw(
          `update alert_messages set error = $5, next_at = $6, instead = $7
           where ${isInFlight} and attempts = $8 returning alert_id`,
          [...inFlight(message), error, nextAt, instead, message.attempts],
        );
        if (rows.length > 0 && instead !== 0)
          yield* noteChannelError(message.channelId, error, nowMs);
      }),
  };
}
