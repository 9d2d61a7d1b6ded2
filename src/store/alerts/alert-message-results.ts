/* Stores what became of a send or call about alerts. */
import { type Engine, raw, type Step } from '../engine.ts';
import { noteChannelError } from './alert-channels.ts';
import type { AlertMessage } from './alert-message-row.ts';

/** Returns the channel that gets an alert in place of another one; 0 for none. */
export type Substitute = (alertId: number) => number;

export interface MessageResults {
  /** Records the result for all alerts in the message. */
  sent(message: AlertMessage, messageId: number, nowMs: number): Promise<void>;
  /** Records a failure, also for the channel. */
  failed(message: AlertMessage, error: string, instead: Substitute, nowMs: number): Promise<void>;
  /** Does the same for a send that waits in the outbox, unless it has begun. */
  withdraw(message: AlertMessage, error: string, instead: Substitute, nowMs: number): Promise<void>;
  /** Returns false if another node makes the call. */
  takeCall(message: AlertMessage, untilMs: number): Promise<boolean>;
  /** Postpones a call; meanwhile the channel `instead` gets the alert, unless it is 0. */
  postpone(
    message: AlertMessage,
    error: string,
    nextAt: number,
    instead: number,
    nowMs: number,
  ): Promise<void>;
}

export function createMessageResults(engine: Engine): MessageResults {
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

  return {
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
    takeCall: ({ alertId, channelId, attempts }, untilMs) =>
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
