/*
 * Sends the one alert that the database cannot hold: that it does not answer. It is sent directly,
 * through the channels as they were last read, and kept in memory; a crash meanwhile may send it
 * twice. A message whose outcome is unknown is not repeated; other failures are retried a few
 * times.
 */
import type { Clock } from '../../clock.ts';
import { type AlertChannel, wants } from '../../core/alerts/alert-channel.ts';
import { type Alert, type AlertEvent, kindOf, unhandled } from '../../core/alerts/alerts.ts';
import { isQuiet } from '../../core/alerts/quiet-hours.ts';
import type { Reason } from '../../core/reasons/reason.ts';
import { topicParam } from '../../core/messages/topics.ts';
import type { AlertLogRepository } from '../../store/alerts/alert-log.ts';
import type { Store } from '../../store/store.ts';
import { alertMessage } from './alert-message.ts';
import { PlatformRefused, PlatformUnreachable } from '../../telegram/errors.ts';
import { alertBody } from './alert-webhook.ts';

interface OutageDeps {
  clock: Clock;
  store: Pick<Store, 'alertChannels' | 'bots'>;
  log: Pick<AlertLogRepository, 'addResolved'>;
  publicUrl: string;
  /** Calls the platform without the outbox. */
  callPlatform(token: string, method: string, params: Record<string, unknown>): Promise<unknown>;
  callWebhook(channel: AlertChannel, call: { id: string; body: string }): Promise<Reason | null>;
  publish(type: AlertEvent, alert: Alert): void;
  onError(error: unknown): void;
}

export interface OutageAlert {
  /** The database answers: reports the end of an outage that this node reported. */
  up(): Promise<void>;
  /** Reads the channels, to have them when the database is unavailable. */
  remember(): Promise<void>;
  /** The database does not answer; to be called from time to time. */
  down(): Promise<void>;
}

const firstPauseMs = 10_000;
const mostTries = 8;

const condition = { kind: 'database_unreachable', botId: 0, subject: '', params: {} } as const;

export function createOutageAlert(deps: OutageDeps): OutageAlert {
  const { clock, publicUrl } = deps;
  let channels: { channel: AlertChannel; token: string }[] = [];
  let since = 0;
  /** The message in each channel that was told; 0 for a webhook. */
  const told = new Map<number, number>();
  /** The failed tries of channels that could not be told yet. */
  const failures = new Map<number, { tries: number; nextAt: number }>();

  async function remember(): Promise<void> {
    const all = (await deps.store.alertChannels.list()).filter(({ disabled }) => !disabled);
    const bots = await deps.store.bots.list(all.map(({ bot_id }) => bot_id));
    const tokens = new Map(bots.map(({ id, token }) => [id, token]));
    channels = all.map((channel) => ({ channel, token: tokens.get(channel.bot_id) ?? '' }));
  }

  const alertAt = (resolvedAt: number): Alert => ({
    ...condition,
    id: 0,
    severity: kindOf(condition.kind).severity,
    openedAt: since,
    changedAt: resolvedAt || since,
    resolvedAt,
    occurrences: 1,
    ...unhandled,
    version: 1,
  });

  async function tell(
    { channel, token }: { channel: AlertChannel; token: string },
    alert: Alert,
  ): Promise<void> {
    const { chat_id, id, message_thread_id: topic, type } = channel;
    if (type === 'webhook') {
      const event = alert.resolvedAt === 0 ? 'alert.opened' : 'alert.resolved';
      const body = alertBody(event, alert, publicUrl, clock.now());
      const call = { id: `alert_outage_${since}_${id}_${event}`, body };
      const why = await deps.callWebhook(channel, call);
      if (why === null) told.set(id, 0);
      else failedAt(id);
      return;
    }
    // The message has no buttons, because they would need the database.
    const said = alertMessage({ allowed_user_ids: [] }, [alert], publicUrl);
    const message_id = told.get(id);
    const where = message_id ? { message_id } : topicParam(topic);
    const method = message_id ? 'editMessageText' : 'sendMessage';
    try {
      const sent = await deps.callPlatform(token, method, { chat_id, ...where, ...said });
      told.set(id, message_id ?? (sent as { message_id?: number }).message_id ?? 0);
    } catch (error) {
      if (mayHaveArrived(error)) told.set(id, message_id ?? 0);
      else failedAt(id, isFinal(error) ? mostTries : 1);
      throw error;
    }
  }

  function failedAt(id: number, count = 1): void {
    const tries = (failures.get(id)?.tries ?? 0) + count;
    failures.set(id, { tries, nextAt: clock.now() + firstPauseMs * 2 ** (tries - 1) });
  }

  function isDue({ id, delay_seconds, quiet_hours }: AlertChannel, now: number): boolean {
    const { nextAt, tries } = failures.get(id) ?? { nextAt: 0, tries: 0 };
    const dueAt = Math.max(since + delay_seconds * 1_000, nextAt);
    return !told.has(id) && tries < mostTries && now >= dueAt && !isQuiet(quiet_hours, now);
  }

  return {
    async down() {
      const now = clock.now();
      since ||= now;
      const alert = alertAt(0);
      for (const one of channels) {
        if (!isDue(one.channel, now) || !wants(one.channel, alert)) continue;
        await tell(one, alert).catch(deps.onError);
      }
    },
    remember,
    async up() {
      if (since === 0) return;
      const alert = alertAt(clock.now());
      // An outage so short that nobody was told is not recorded.
      if (told.size > 0) {
        const stored = await deps.log.addResolved(condition, since, alert.resolvedAt);
        deps.publish('alert.resolved', stored);
        for (const one of channels) {
          if (told.has(one.channel.id)) await tell(one, alert).catch(deps.onError);
        }
      }
      since = 0;
      told.clear();
      failures.clear();
    },
  };
}

function mayHaveArrived(error: unknown): boolean {
  if (error instanceof PlatformUnreachable) return error.requestWritten;
  return error instanceof PlatformRefused && error.kind === 'retry';
}

function isFinal(error: unknown): boolean {
  return error instanceof PlatformRefused && error.kind !== 'wait';
}
