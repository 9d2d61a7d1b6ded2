import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { AlertChannel } from '../core/alerts/alert-channel.ts';
import type { AlertEvent, Alert } from '../core/alerts/alerts.ts';
import { alertAuthor } from '../core/messages/author.ts';
import type { BackupState } from '../core/service/backup-state.ts';
import type { Reason } from '../core/reasons/reason.ts';
import { topicParam } from '../core/messages/topics.ts';
import { RelayError } from '../errors.ts';
import { alertEndpoints } from '../http/api/alerts/alerts.ts';
import { alertChannelEndpoints } from '../http/api/alerts/alert-channels.ts';
import type { Endpoint } from '../http/endpoint.ts';
import type { Logger } from '../logger.ts';
import type { AuditLog } from '../manage/access/audit.ts';
import { createAlertChannelService } from '../manage/alerts/alert-channels.ts';
import { createAlertLogService } from '../manage/alerts/alert-log.ts';
import { createBackground } from '../relay/async/background.ts';
import { createAlertPresses } from '../relay/alerts/alert-presses.ts';
import { createAlertSender } from '../relay/alerts/alert-sender.ts';
import { createAlertWatch } from '../relay/alerts/alert-watch.ts';
import { alertData, postAlert } from '../relay/alerts/alert-webhook.ts';
import { createOutageAlert } from '../relay/alerts/outage-alert.ts';
import type { RelayEvents } from '../relay/events/relay-events.ts';
import type { Store } from '../store/store.ts';
import type { TelegramClient } from '../telegram/client.ts';
import { createGuardedAgent } from '../telegram/guarded-agent.ts';
import { composeFinder } from './alert-finder.ts';
import { type Acted, markDeliveries } from './alert-marks.ts';
import type { Relay } from './relay.ts';

interface AlertDeps {
  config: Config;
  clock: Clock;
  logger: Logger;
  store: Store;
  telegram: TelegramClient;
  relay: Relay;
  events: RelayEvents;
  audit: AuditLog;
  /** The state of scheduled backups; undefined if none are scheduled. */
  backup(): BackupState | undefined;
}

export interface Alerts {
  endpoints: Endpoint[];
  acted: Acted;
  /** Watches until the signal aborts; resolves when it has ended. */
  run(signal: AbortSignal): Promise<void>;
  stop(): Promise<void>;
}

const testText = 'Test alert of Bot Relay. This channel works.';
const testWaitMs = 10_000;
/** Events that may open or resolve an alert. */
const wakingEvents = ['bot', 'delivery', 'route'] as const;

/** Connects the search for problems with the channels that report them. */
export function composeAlerts(deps: AlertDeps): Alerts {
  const { audit, clock, config, events, logger, relay, store } = deps;
  const { publicUrl } = config;
  const connections = createGuardedAgent({ policy: config.backends });
  const background = createBackground();
  const onError = (error: unknown) => logger.warn({ err: error }, 'alerts failed; retrying');
  const sender = createAlertSender({
    clock,
    random: Math.random,
    store,
    publicUrl,
    connections,
    background,
    onQueued: relay.wakeSends,
    onError,
  });
  const publish = (type: AlertEvent, alert: Alert) => {
    const { bot_id: botId, ...data } = alertData(alert, publicUrl);
    events.publish(type, botId, data);
  };
  const finder = composeFinder(deps);
  const watch = createAlertWatch({
    clock,
    log: store.alertLog,
    conditions: finder.all,
    sender,
    lead: store.engine.isShared ? store.alertConditions.lead : undefined,
    node: () => relay.supervisor.nodes.nodeId(),
    outage: createOutageAlert({
      clock,
      store,
      log: store.alertLog,
      publicUrl,
      callPlatform: (token, method, params) =>
        deps.telegram.call(token, method, params, { timeoutMs: testWaitMs }),
      callWebhook: (channel, call) => postAlert({ connections, clock }, channel, call),
      publish,
      onError,
    }),
    refresh: () => presses.reload(),
    publish,
    onError,
  });
  const log = createAlertLogService({
    store,
    findLive: finder.live,
    publicUrl,
    clock,
    onHandled(alert) {
      publish('alert.changed', alert);
      watch.wake();
    },
  });
  const acted: Acted = (caller, what) => log.acted(caller, what).catch(onError);
  const presses = createAlertPresses({
    clock,
    store,
    handling: log,
    deliveries: markDeliveries(relay.deliveryService, acted),
    sender: relay.sender,
    onQueued: relay.wakeSends,
    onActed: watch.wake,
    audit: (action, { who, ...body }, work) =>
      audit.around(
        {
          caller: { kind: 'local', id: 0, name: who, address: 'telegram' },
          action,
          rule: {},
          input: { query: {}, body },
          requestId: '',
        },
        work,
      ),
    onError,
  });

  async function sendTest(channel: AlertChannel): Promise<Reason | null> {
    if (channel.type === 'webhook') {
      const timestamp = new Date(clock.now()).toISOString();
      const body = JSON.stringify({ type: 'alert.test', timestamp, data: { text: testText } });
      const id = `alert_test_${channel.id}_${clock.now()}`;
      return postAlert({ connections, clock }, channel, { id, body });
    }
    const { bot_id: botId, chat_id: chatId, message_thread_id: topic } = channel;
    const params = {
      chat_id: chatId,
      text: testText,
      ...topicParam(topic),
    };
    const message = { botId, chatId, method: 'sendMessage', params } as const;
    try {
      const how = { priority: 'interactive', origin: 'sent', maxWaitMs: testWaitMs } as const;
      await relay.sender.send({ ...message, ...how, author: alertAuthor });
      return null;
    } catch (error) {
      if (!(error instanceof RelayError)) throw error;
      return error.reason;
    }
  }

  return {
    acted,
    endpoints: [
      ...alertEndpoints({ log }),
      ...alertChannelEndpoints({
        channels: createAlertChannelService({
          store,
          clock,
          config,
          sendTest,
          onChanged: watch.wake,
        }),
      }),
    ],
    run(signal) {
      events.on('stored', presses.received);
      for (const name of wakingEvents) events.on(name, watch.wake);
      return watch.run(signal);
    },
    async stop() {
      // Close connections, because calls that hang must not delay the stop.
      await connections.destroy();
      await background.end();
    },
  };
}
