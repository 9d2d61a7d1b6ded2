/*
 * What people do in a chat of alerts: buttons, and /status. A press is a request of a person: one
 * that is lost in a crash is pressed again.
 */
import type { Clock } from '../../clock.ts';
import { type Caller, localCaller } from '../../core/access/access.ts';
import { defaultApp } from '../../core/apps/app.ts';
import { type AlertChannel, wants } from '../../core/ops/alert-channel.ts';
import type { AlertRecord } from '../../core/ops/alerts.ts';
import { PayloadFacts } from '../../core/apps/filter-facts.ts';
import { object, text, type Wire } from '../../core/log/wire.ts';
import type { Sender } from '../../core/ports.ts';
import { codeOf, RelayError } from '../../errors.ts';
import type { LogEntry } from '../../store/log/log-entry.ts';
import type { Store } from '../../store/store.ts';
import type { DeliveryService } from '../delivery/delivery-service.ts';
import { type AlertAction, buttonPrefix, pressedButton, statusMessage } from './alert-message.ts';

interface AlertPressDeps {
  clock: Clock;
  store: Pick<Store, 'alertChannels' | 'alertLog' | 'alertMessages' | 'outbox'>;
  deliveries: Pick<DeliveryService, 'check' | 'replay' | 'retryNow'>;
  sender: Sender;
  onQueued(botIds: ReadonlySet<number>): void;
  /** Something may be better now. */
  onActed(): void;
  /** Writes down who did what. */
  audit(
    action: 'alerts.retry-now' | 'alerts.replay' | 'alerts.mute' | 'alerts.refused-press',
    about: { who: string; bot_id: number; chat_id: number; user_id: number; alert_id: number },
    work: () => Promise<object>,
  ): Promise<object>;
  onError(error: unknown): void;
}

export interface AlertPresses {
  /** Updates that were just stored. */
  received(botId: number, entries: readonly LogEntry[]): void;
  /** The channels are others from now on. */
  reload(): Promise<void>;
}

const muteMs = 3_600_000;
const statusEveryMs = 3_000;
const mostShown = 200;
const actionNames = {
  retry: 'alerts.retry-now',
  replay: 'alerts.replay',
  mute: 'alerts.mute',
} as const;

export function createAlertPresses(deps: AlertPressDeps): AlertPresses {
  const { clock, store } = deps;
  /** Of Telegram, by bot. */
  let channels = new Map<number, AlertChannel[]>();
  const answeredAt = new Map<number, number>();

  async function reload(): Promise<void> {
    const all = await store.alertChannels.list();
    channels = Map.groupBy(
      all.filter(({ type, disabled }) => type === 'telegram' && !disabled),
      ({ bot_id }) => bot_id,
    );
  }

  function received(botId: number, entries: readonly LogEntry[]): void {
    const ofBot = channels.get(botId);
    if (!ofBot) return;
    for (const { kind, position, raw } of entries) {
      const isPress = kind === 'callback_query' && raw.includes(buttonPrefix);
      const isCommand = kind === 'message' && raw.includes('/status');
      if (!isPress && !isCommand) continue;
      const payload = object(object(JSON.parse(raw))?.[kind]) ?? {};
      const facts = new PayloadFacts(kind, payload);
      const channel = ofBot.find(
        ({ chat_id, message_thread_id: topic }) =>
          chat_id === facts.chatId && (topic === 0 || topic === facts.threadId),
      );
      if (!channel) continue;
      const handled = isPress ? pressed(channel, payload, facts) : asked(channel, facts, position);
      handled.catch(deps.onError);
    }
  }

  async function pressed(channel: AlertChannel, payload: Wire, facts: PayloadFacts): Promise<void> {
    const press = pressedButton(facts.callbackData ?? '');
    if (!press) return;
    const words = await outcomeOf(channel, press, payload, facts.userId ?? 0).catch(
      (error: unknown) => {
        if (!(error instanceof RelayError)) deps.onError(error);
        return error instanceof RelayError ? error.message : `Failed: ${codeOf(error)}`;
      },
    );
    const answer = {
      callback_query_id: text(payload.id),
      text: words.slice(0, 200),
      show_alert: true,
    };
    const how = { chatId: 0, priority: 'interactive', origin: 'sent' } as const;
    const { bot_id: botId } = channel;
    await deps.sender.send({ botId, method: 'answerCallbackQuery', params: answer, ...how });
  }

  async function outcomeOf(
    channel: AlertChannel,
    { action, alertId }: { action: AlertAction; alertId: number },
    payload: Wire,
    userId: number,
  ): Promise<string> {
    const { bot_id, chat_id } = channel;
    const from = object(payload.from);
    const who = `${text(from?.username) || text(from?.first_name) || userId} on Telegram`;
    const about = { who, bot_id, chat_id, user_id: userId, alert_id: alertId };
    if (!channel.allowed_user_ids.includes(userId)) {
      await deps.audit('alerts.refused-press', about, async () => ({ refused: action }));
      return 'You may not do this. An admin can add you to allowed_user_ids of the alert channel.';
    }
    const alert = await store.alertLog.get(alertId);
    const isOurs = await store.alertMessages.get(alertId, channel.id);
    if (!alert || !isOurs) return 'This alert is gone.';
    let words = '';
    const named = { ...about, bot_id: alert.botId };
    await deps.audit(actionNames[action], named, async () => {
      words = await act(action, alert, { ...localCaller, name: who });
      return { done: words };
    });
    deps.onActed();
    return words;
  }

  async function act(action: AlertAction, alert: AlertRecord, caller: Caller): Promise<string> {
    const { botId, id, params } = alert;
    const app = params.app ?? defaultApp;
    if (action === 'mute') {
      await store.alertLog.mute(id, clock.now() + muteMs);
      return 'Muted for 1 h.';
    }
    if (action === 'replay') {
      const queued = await deps.deliveries.replay(caller, { bot_id: botId, app, all_dead: true });
      return `Replaying ${queued} update${queued === 1 ? '' : 's'}.`;
    }
    const { error, reachable } = await deps.deliveries.check(caller, botId, false, app);
    if (!reachable) return `Still unreachable: ${error}`;
    await deps.deliveries.retryNow(caller, botId, undefined, app);
    return 'Retrying.';
  }

  /** Everybody in the chat sees its alerts anyway. */
  async function asked(
    channel: AlertChannel,
    facts: PayloadFacts,
    position: number,
  ): Promise<void> {
    if (!/^\/status(?:@\w+)?\s*$/.test(facts.text)) return;
    const last = answeredAt.get(channel.id) ?? Number.NEGATIVE_INFINITY;
    if (clock.monotonic() - last < statusEveryMs) return;
    answeredAt.set(channel.id, clock.monotonic());
    const open = await store.alertLog.list({ botIds: null, state: 'open', limit: mostShown });
    const { bot_id: botId, chat_id: chatId } = channel;
    const topic = facts.threadId === undefined ? {} : { message_thread_id: facts.threadId };
    await store.outbox.enqueue(
      {
        botId,
        chatId,
        method: 'sendMessage',
        params: {
          chat_id: chatId,
          ...topic,
          ...statusMessage(open.filter((alert) => wants(channel, alert))),
        },
        origin: 'sent',
        intentKey: `alert:status:${botId}:${position}`,
        priority: 'interactive',
      },
      clock.now(),
    );
    deps.onQueued(new Set([botId]));
  }

  return { received, reload };
}
