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
import { type AlertRow, toAlert } from './alert-row.ts';
import type { AlertMessage } from './alert-message-row.ts';
import { createMessageResults, type MessageResults } from './alert-message-results.ts';

type Send = { intent: OutboxIntent } | { body: string };

export interface AlertMessageRepository extends MessageResults {
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
    ...createMessageResults(engine),
  };
}
