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
