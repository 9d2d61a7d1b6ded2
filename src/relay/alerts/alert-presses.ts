/*
 * Handles what people do in a chat of alerts: buttons and /status. If a press is lost in a crash,
 * the person presses again.
 */
import type { Clock } from '../../clock.ts';
import { type Caller, localCaller } from '../../core/access/access.ts';
import { defaultApp } from '../../core/apps/app.ts';
import type { AlertChannel } from '../../core/alerts/alert-channel.ts';
import type { Alert } from '../../core/alerts/alerts.ts';
import { alertAuthor } from '../../core/messages/author.ts';
import { PayloadFacts } from '../../core/apps/filter-facts.ts';
import { integer, object, text, type Wire } from '../../core/log/wire.ts';
import type { Sender } from '../../core/ports.ts';
import { codeOf, RelayError } from '../../errors.ts';
import type { LogEntry } from '../../store/log/log-entry.ts';
import type { Store } from '../../store/store.ts';
import type { DeliveryService } from '../delivery/delivery-service.ts';
import { type ButtonAction, buttonPrefix, pressedButton } from './alert-message.ts';
import { createStatusCommand } from './status-command.ts';

interface AlertPressDeps {
  clock: Clock;
  store: Pick<Store, 'alertChannels' | 'alertLog' | 'alertMessages' | 'bots' | 'outbox'>;
  deliveries: Pick<DeliveryService, 'check' | 'replay' | 'retryNow'>;
  /** Says in the name of a person that an alert is taken care of, or is to be silent. */
  handling: {
    acknowledge(caller: Caller, id: number, isAcknowledged: boolean): Promise<{ alert: Alert }>;
    mute(caller: Caller, id: number, minutes: number): Promise<unknown>;
  };
  sender: Sender;
  onQueued(botIds: ReadonlySet<number>): void;
  /** An action may have ended an alert. */
  onActed(): void;
  /** Records who did what. */
  audit(
    action: (typeof actionNames)[ButtonAction] | 'alerts.refused-press',
    about: { who: string; bot_id: number; chat_id: number; user_id: number; alert_id: number },
    work: () => Promise<object>,
  ): Promise<object>;
  onError(error: unknown): void;
}

export interface AlertPresses {
  /** Takes updates that were just stored. */
  received(botId: number, entries: readonly LogEntry[]): void;
  /** Reloads the channels, which have changed. */
  reload(): Promise<void>;
}

const muteMinutes = 60;
/** Presses of a person who may not press give one entry of the audit log in this time. */
const refusedEveryMs = 3_600_000;
const mostStrangers = 1_000;
const actionNames = {
  retry: 'alerts.retry-now',
  replay: 'alerts.replay',
  acknowledge: 'alerts.acknowledge',
  mute: 'alerts.mute',
} as const;

export function createAlertPresses(deps: AlertPressDeps): AlertPresses {
  const { clock, store } = deps;
  /** The Telegram channels, by bot. */
  let channels = new Map<number, AlertChannel[]>();
  let usernames = new Map<number, string>();
  const status = createStatusCommand(deps);
  const refusedAt = new Map<number, number>();

  async function reload(): Promise<void> {
    const all = await store.alertChannels.list();
    channels = Map.groupBy(
      all.filter(({ type, disabled }) => type === 'telegram' && !disabled),
      ({ bot_id }) => bot_id,
    );
    const bots = await store.bots.list([...channels.keys()]);
    usernames = new Map(bots.map(({ id, username }) => [id, username.toLowerCase()]));
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
      // Channels of this topic come before those of the whole chat.
      const here = ofBot
        .filter(({ chat_id, message_thread_id: topic }) => {
          return chat_id === facts.chatId && (topic === 0 || topic === facts.threadId);
        })
        .toSorted(
          (one, other) =>
            Number(one.message_thread_id === 0) - Number(other.message_thread_id === 0),
        );
      const [channel] = here;
      if (!channel) continue;
      const handled = isPress
        ? pressed(here, payload, facts)
        : status(channel, facts, position, usernames.get(botId) ?? '');
      handled.catch(deps.onError);
    }
  }

  /** Finds the channel that the pressed message belongs to. */
  async function channelOf(
    here: readonly AlertChannel[],
    alertId: number,
    payload: Wire,
  ): Promise<{ channel: AlertChannel; isTold: boolean }> {
    const messageId = integer(object(payload.message)?.message_id);
    const rows = await store.alertMessages.ofAlerts([alertId]);
    const told = here.filter(({ id }) => rows.some(({ channelId }) => channelId === id));
    const exact = rows.find((row) => row.messageId === messageId)?.channelId;
    const channel = told.find(({ id }) => id === exact) ?? told[0];
    return { channel: channel ?? (here[0] as AlertChannel), isTold: channel !== undefined };
  }

  async function pressed(
    here: readonly AlertChannel[],
    payload: Wire,
    facts: PayloadFacts,
  ): Promise<void> {
    const press = pressedButton(facts.callbackData ?? '');
    if (!press) return;
    const words = await outcomeOf(here, press, payload, facts.userId ?? 0).catch(
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
    const how = {
      chatId: 0,
      priority: 'interactive',
      origin: 'sent',
      author: alertAuthor,
    } as const;
    const botId = here[0]?.bot_id ?? 0;
    await deps.sender.send({ botId, method: 'answerCallbackQuery', params: answer, ...how });
  }

  async function outcomeOf(
    here: readonly AlertChannel[],
    { action, alertId }: { action: ButtonAction; alertId: number },
    payload: Wire,
    userId: number,
  ): Promise<string> {
    const { channel, isTold } = await channelOf(here, alertId, payload);
    const { bot_id, chat_id } = channel;
    const from = object(payload.from);
    const who = `${text(from?.username) || text(from?.first_name) || userId} on Telegram`;
    const about = { who, bot_id, chat_id, user_id: userId, alert_id: alertId };
    if (!channel.allowed_user_ids.includes(userId)) {
      if (isFirstRefusal(userId)) {
        await deps.audit('alerts.refused-press', about, async () => ({ refused: action }));
      }
      return 'You may not do this. An admin can add you to allowed_user_ids of the alert channel.';
    }
    const alert = await store.alertLog.get(alertId);
    if (!alert || !isTold) return 'This alert is gone.';
    let words = '';
    const named = { ...about, bot_id: alert.botId };
    await deps.audit(actionNames[action], named, async () => {
      words = await act(deps, action, alert, { ...localCaller, name: who });
      return { done: words };
    });
    deps.onActed();
    return words;
  }

  function isFirstRefusal(userId: number): boolean {
    const now = clock.monotonic();
    const last = refusedAt.get(userId) ?? Number.NEGATIVE_INFINITY;
    if (now - last < refusedEveryMs) return false;
    if (refusedAt.size >= mostStrangers) refusedAt.clear();
    refusedAt.set(userId, now);
    return true;
  }

  return { received, reload };
}

/** Returns what the person is told. */
async function act(
  deps: Pick<AlertPressDeps, 'deliveries' | 'handling'>,
  action: ButtonAction,
  alert: Alert,
  caller: Caller,
): Promise<string> {
  const { botId, id, params } = alert;
  const app = params.app ?? defaultApp;
  if (action === 'mute') {
    await deps.handling.mute(caller, id, muteMinutes);
    return 'Muted for 1 h.';
  }
  if (action === 'acknowledge') {
    const { acknowledgedBy } = (await deps.handling.acknowledge(caller, id, true)).alert;
    return acknowledgedBy === caller.name ? 'Acknowledged.' : `Acknowledged by ${acknowledgedBy}.`;
  }
  if (action === 'replay') {
    const { queued } = await deps.deliveries.replay(caller, {
      bot_id: botId,
      app,
      all_dead: true,
    });
    return `Replaying ${queued} update${queued === 1 ? '' : 's'}.`;
  }
  const { error, reachable } = await deps.deliveries.check(caller, botId, false, app);
  if (!reachable) return `Still unreachable: ${error}`;
  await deps.deliveries.retryNow(caller, botId, undefined, app);
  return 'Retrying.';
}
