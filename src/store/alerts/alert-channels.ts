import type { Vault } from '../../core/access/vault.ts';
import type {
  AlertChannel,
  ChannelSettings,
  ChannelType,
} from '../../core/alerts/alert-channel.ts';
import { channelDefaults } from '../../core/alerts/alert-channel.ts';
import { type Engine, raw, type Step } from '../engine.ts';
import { forgetAlertMessages, moveAlertChannels } from '../messages/chat-moves.ts';
import { wordsOf } from '../sql/dialect.ts';

export interface AlertChannelRepository {
  /** Lists channels in the order in which they were added. */
  list(): Promise<AlertChannel[]>;
  get(id: number): Promise<AlertChannel | undefined>;
  add(
    type: ChannelType,
    settings: ChannelSettings,
    secret: string,
    nowMs: number,
  ): Promise<AlertChannel>;
  /**
   * Returns undefined if there is no such channel. Clears its error, which the change may have
   * fixed. If the channel leads to another place, open alerts are sent there again.
   */
  update(id: number, settings: ChannelSettings, nowMs: number): Promise<AlertChannel | undefined>;
  /** Moves channels of a group that became a supergroup: open alerts are sent there. */
  follow(fromChatId: number, toChatId: number, nowMs: number): Promise<void>;
  toggle(id: number, nowMs: number): Promise<AlertChannel | undefined>;
  remove(id: number): Promise<boolean>;
  removeStep(id: number): Step<boolean>;
  /** Adds a channel, or changes the one with that ID. */
  saveStep(
    channel: { id?: number; type: ChannelType; secret: string; disabled: boolean },
    settings: ChannelSettings,
    nowMs: number,
  ): Step<AlertChannel>;
  /** Stores the error of a channel; '' if it works. */
  noteError(id: number, error: string, nowMs: number): Promise<void>;
}

interface Row {
  id: number;
  type: string;
  bot_id: number | null;
  settings: string;
  url_sealed: string;
  secret_sealed: string;
  disabled: number;
  error: string;
  /** When the last alert arrived or, with an error, failed; 0 if there was none. */
  failed_at: number;
  created_at: number;
  updated_at: number;
}

const urlContext = (id: number) => `alert_channels:${id}:url`;
const secretContext = (id: number) => `alert_channels:${id}:secret`;

/** Stores the error in the commit that records the result of an alert. */
export function* noteChannelError(id: number, error: string, nowMs: number): Step<void> {
  yield* raw('update alert_channels set error = $1, failed_at = $2 where id = $3', [
    error,
    nowMs,
    id,
  ]);
}

const isSamePlace = (one: ChannelSettings, other: ChannelSettings) =>
  one.bot_id === other.bot_id &&
  one.chat_id === other.chat_id &&
  one.message_thread_id === other.message_thread_id &&
  one.url === other.url;

export function createAlertChannelRepository(engine: Engine, vault: Vault): AlertChannelRepository {
  const forUpdate = wordsOf[engine.dialect].lock('for update');

  function toChannel(row: Row): AlertChannel {
    return {
      ...channelDefaults,
      ...(JSON.parse(row.settings) as Partial<ChannelSettings>),
      id: row.id,
      type: row.type as ChannelType,
      bot_id: row.bot_id ?? 0,
      url: vault.open(row.url_sealed, urlContext(row.id)),
      secret: vault.open(row.secret_sealed, secretContext(row.id)),
      disabled: row.disabled === 1,
      error: row.error,
      failedAt: row.error === '' ? 0 : row.failed_at,
      sentAt: row.error === '' ? row.failed_at : 0,
      created_at: row.created_at,
      updated_at: row.updated_at,
    };
  }
  const maybe = (row: Row | undefined) => row && toChannel(row);
  const changed = async (job: () => Step<Row[]>) => maybe((await engine.write(job))[0]);

  function write(id: number, { bot_id, url, ...settings }: ChannelSettings, nowMs: number) {
    return raw<Row>(
      `update alert_channels set bot_id = $1, settings = $2, url_sealed = $3, error = '',
         failed_at = 0, updated_at = $4 where id = $5 returning *`,
      [bot_id || null, JSON.stringify(settings), vault.seal(url, urlContext(id)), nowMs, id],
    );
  }

  function* leaveFormerPlace(id: number, settings: ChannelSettings, nowMs: number): Step<void> {
    const sql = `select * from alert_channels where id = $1 ${forUpdate}`;
    const [before] = yield* raw<Row>(sql, [id]);
    if (before && !isSamePlace(toChannel(before), settings)) yield* forgetAlertMessages(id, nowMs);
  }

  function* removeStep(id: number): Step<boolean> {
    const sql = 'delete from alert_channels where id = $1 returning id';
    return (yield* raw(sql, [id])).length > 0;
  }

  function* insert(type: ChannelType, secret: string, nowMs: number): Step<number> {
    const [added] = yield* raw<{ id: number }>(
      `insert into alert_channels (type, settings, created_at, updated_at)
       values ($1, '{}', $2, $2) returning id`,
      [type, nowMs],
    );
    const { id } = added as { id: number };
    const sealed = vault.seal(secret, secretContext(id));
    yield* raw('update alert_channels set secret_sealed = $1 where id = $2', [sealed, id]);
    return id;
  }

  const saveStep: AlertChannelRepository['saveStep'] = function* (channel, settings, nowMs) {
    const { disabled, secret, type } = channel;
    if (channel.id !== undefined) yield* leaveFormerPlace(channel.id, settings, nowMs);
    const id = channel.id ?? (yield* insert(type, secret, nowMs));
    yield* raw('update alert_channels set disabled = $1 where id = $2', [disabled ? 1 : 0, id]);
    return toChannel((yield* write(id, settings, nowMs))[0] as Row);
  };

  return {
    async list() {
      const rows = await engine.readRaw<Row>('select * from alert_channels order by id', []);
      return rows.map(toChannel);
    },
    async get(id) {
      return maybe(
        (await engine.readRaw<Row>('select * from alert_channels where id = $1', [id]))[0],
      );
    },
    add: (type, settings, secret, nowMs) =>
      engine.write(() => saveStep({ type, secret, disabled: false }, settings, nowMs)),
    saveStep,
    removeStep,
    update: (id, settings, nowMs) =>
      changed(function* () {
        yield* leaveFormerPlace(id, settings, nowMs);
        return yield* write(id, settings, nowMs);
      }),
    follow: (fromChatId, toChatId, nowMs) =>
      engine.write(() => moveAlertChannels(engine.dialect, fromChatId, toChatId, nowMs)),
    toggle: (id, nowMs) =>
      changed(() =>
        raw<Row>(
          `update alert_channels set disabled = 1 - disabled, error = '', failed_at = 0,
             updated_at = $1 where id = $2 returning *`,
          [nowMs, id],
        ),
      ),
    remove: (id) => engine.write(() => removeStep(id)),
    noteError: (id, error, nowMs) => engine.write(() => noteChannelError(id, error, nowMs)),
  };
}
