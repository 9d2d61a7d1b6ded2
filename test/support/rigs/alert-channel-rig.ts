import { randomBytes } from 'node:crypto';
import { Agent } from 'undici';
import { afterEach, beforeEach } from 'vitest';
import { createVault } from '../../../src/core/access/vault.ts';
import { channelDefaults, type ChannelSettings } from '../../../src/core/alerts/alert-channel.ts';
import type { AlertKind, AlertParams, Condition } from '../../../src/core/alerts/alerts.ts';
import { emptyFacts } from '../../../src/core/messages/message-facts.ts';
import type { RefusalCode } from '../../../src/core/reasons/platform.ts';
import { reason } from '../../../src/core/reasons/reason.ts';
import { packReason } from '../../../src/core/reasons/stored.ts';
import { createBackground } from '../../../src/relay/async/background.ts';
import { type AlertSender, createAlertSender } from '../../../src/relay/alerts/alert-sender.ts';
import { createAlertWatch } from '../../../src/relay/alerts/alert-watch.ts';
import { type DialectName, type Engine, raw } from '../../../src/store/engine.ts';
import type { OutboxRecord } from '../../../src/store/outbox/outbox-record.ts';
import { createStore, type Store } from '../../../src/store/store.ts';
import { createDatabase, type Database } from '../database/engines.ts';
import { createManualClock, type ManualClock } from '../manual-clock.ts';

/** Alerts and their channels over a new database for each test; the platform is played by it. */
export function alertChannelRig(dialect: DialectName) {
  let database: Database;
  let engine: Engine;
  let store: Store;
  let clock: ManualClock;
  let found: Condition[];
  let background: ReturnType<typeof createBackground>;
  let connections: Agent;
  let platformId = 700;
  const events: string[] = [];
  const errors: unknown[] = [];

  beforeEach(async () => {
    database = await createDatabase(dialect);
    engine = await database.open();
    store = createStore(engine, createVault([randomBytes(32).toString('hex')]));
    clock = createManualClock(Date.parse('2026-01-15T12:00:00Z'));
    found = [];
    background = createBackground();
    connections = new Agent();
    events.length = 0;
    errors.length = 0;
  });
  afterEach(async () => {
    await background.end();
    await connections.destroy();
    await engine.close();
    await database.drop();
  });

  const newSender = (): AlertSender =>
    createAlertSender({
      clock,
      random: () => 1,
      store,
      publicUrl: 'https://relay.example',
      connections,
      background: { run: (...work) => background.run(...work), end: () => background.end() },
      onQueued() {},
      onError: (error) => errors.push(error),
    });
  /** As a node that has just started. */
  const newNode = () =>
    createAlertWatch({
      clock,
      log: store.alertLog,
      conditions: async () => found,
      sender: newSender(),
      lead: undefined,
      node: () => 'n',
      publish: (type, { kind }) => events.push(`${type} ${kind}`),
      onError: (error) => errors.push(error),
    });

  /** What waits to be sent, in order. */
  async function queued(): Promise<OutboxRecord[]> {
    const sends = await store.outbox.list({ botIds: null, state: 'queued', limit: 200 });
    return sends.toReversed();
  }

  /** The platform takes what waits; gives what people see: the method, the message and its text. */
  async function deliver(): Promise<
    { method: string; id: number; text: string; buttons: number }[]
  > {
    const sends = await queued();
    for (const send of sends) {
      await store.outbox.take(send, 'n', clock.now());
      const { message_id: edited } = JSON.parse(send.params) as { message_id?: number };
      await store.outbox.succeed(
        send,
        { archive: emptyFacts(), messageId: edited ?? send.id, deleted: null },
        clock.now(),
      );
    }
    return sends.map(({ id, method, params }) => {
      const said = JSON.parse(params) as {
        text: string;
        message_id?: number;
        reply_markup?: { inline_keyboard: object[][] };
      };
      const buttons = said.reply_markup?.inline_keyboard.flat().length ?? 0;
      return { method, id: said.message_id ?? id, text: said.text, buttons };
    });
  }

  async function refuse(
    errorCode: number,
    description: string,
    refusal: RefusalCode,
  ): Promise<void> {
    for (const send of await queued()) {
      await store.outbox.take(send, 'n', clock.now());
      const params = { description, refusal, error_code: errorCode };
      const why = packReason(reason('platform_refused_with_code', params));
      await store.outbox.fail({ id: send.id, node: 'n' }, 'failed', why, clock.now());
    }
  }

  return {
    engine: () => engine,
    store: () => store,
    clock: () => clock,
    events,
    errors,
    newNode,
    newSender,
    queued,
    deliver,
    refuse,
    run: (sql: string, parameters: unknown[] = []) => engine.write(() => raw(sql, parameters)),
    /** What is wrong from now on. */
    wrong(...conditions: [kind: AlertKind, botId?: number, params?: AlertParams][]) {
      found = conditions.map(([kind, botId = 0, params = {}]) => ({
        kind,
        botId,
        subject: '',
        params,
      }));
    },
    async addBot() {
      platformId += 1;
      const token = `${platformId}:a-token-of-a-test`;
      const names = { name: 'Shop', username: 'Shop_bot' };
      const bot = { token, ...names, source: 'web', platform_id: platformId };
      return (await store.bots.insert(bot as never, clock.now())).id;
    },
    addChat: (bot_id: number, more: Partial<ChannelSettings> = {}) =>
      store.alertChannels.add(
        'telegram',
        { ...channelDefaults, bot_id, chat_id: -5, ...more },
        '',
        clock.now(),
      ),
    addWebhook: (url: string, more: Partial<ChannelSettings> = {}) =>
      store.alertChannels.add(
        'webhook',
        { ...channelDefaults, url, ...more },
        'whsec_c2VjcmV0',
        clock.now(),
      ),
    /** Webhook calls that were begun have ended. */
    async settled() {
      await background.end();
      background = createBackground();
    },
  };
}
