/*
 * Moves the settings of a group that became a supergroup to its new ID. Its messages stay under the
 * old ID (see messages.ts and docs/adr/0012-group-moves.md); a trigger of the schema moves
 * warnings.
 */
import type { ChannelSettings } from '../../core/alerts/alert-channel.ts';
import { reason } from '../../core/reasons/reason.ts';
import { packReason } from '../../core/reasons/stored.ts';
import { chatConditions } from '../../core/routing/condition-types.ts';
import { type DialectName, type Engine, raw, type Step } from '../engine.ts';
import { readIdList, writeIdList } from '../access/id-list.ts';
import { wordsOf } from '../sql/dialect.ts';
import { moveFilters, renewVersion } from '../apps/app-steps.ts';
import { moveRecipients, moveScheduledSends } from './move-scheduled.ts';
import { noteStatsMove } from '../stats/stats-moves.ts';

const chatConditionNames = chatConditions.map((type) => `'${type}'`).join(', ');

export interface ChatMove {
  botId: number;
  fromChatId: number;
  toChatId: number;
}

export function* applyMove(
  dialect: DialectName,
  { botId, fromChatId, toChatId }: ChatMove,
  nowMs: number,
): Step<void> {
  const marked = yield* raw(
    `update chats set migrated_to = $1, updated_at = $2
     where bot_id = $3 and chat_id = $4 and migrated_to <> $1 returning chat_id`,
    [toChatId, nowMs, botId, fromChatId],
  );
  // The move is reported in both chats, and to each bot in them; the first report counts.
  if (marked.length === 0) return;
  yield* raw(
    `update tags set chat_id = $1 where chat_id = $2 and not exists (
       select 1 from tags other
       where other.chat_id = $1 and other.user_id = tags.user_id and other.tag = tags.tag)`,
    [toChatId, fromChatId],
  );
  yield* raw(
    `insert into tag_bots (tag_id, bot_id)
     select kept.id, tag_bots.bot_id from tags gone
     join tags kept on kept.chat_id = $1 and kept.user_id = gone.user_id and kept.tag = gone.tag
     join tag_bots on tag_bots.tag_id = gone.id
     where gone.chat_id = $2 on conflict do nothing`,
    [toChatId, fromChatId],
  );
  yield* raw('delete from tags where chat_id = $1', [fromChatId]);
  yield* raw(
    `update members set chat_id = $1 where bot_id = $3 and chat_id = $2 and not exists (
       select 1 from members other
       where other.bot_id = $3 and other.chat_id = $1 and other.user_id = members.user_id)`,
    [toChatId, fromChatId, botId],
  );
  yield* raw('delete from members where bot_id = $1 and chat_id = $2', [botId, fromChatId]);
  yield* noteStatsMove(botId, fromChatId, toChatId);
  yield* moveScheduledSends({ botId, fromChatId, toChatId }, nowMs);
  yield* moveRecipients(botId, fromChatId, toChatId);
  const moves = [
    'target_chat_id = $1 where target_chat_id = $2',
    'source_chat_id = $1 where source_chat_id = $2',
  ];
  for (const move of moves) {
    yield* raw(`update routes set updated_at = $3, ${move}`, [toChatId, fromChatId, nowMs]);
  }
  yield* raw(
    `update routes set updated_at = $3, condition_value = $1
     where condition_type in (${chatConditionNames}) and condition_value = $2`,
    [String(toChatId), String(fromChatId), nowMs],
  );
  yield* moveDesks(fromChatId, toChatId, nowMs);
  // Its messages have other numbers there, so open questions are asked again.
  yield* raw(
    `update questions set chat_id = $1, message_id = 0, intent = ''
     where bot_id = $3 and chat_id = $2 and state = 'open'`,
    [toChatId, fromChatId, botId],
  );
  yield* moveFilters(dialect, { botId, fromChatId, toChatId }, nowMs);
  yield* moveAlertChannels(dialect, fromChatId, toChatId, nowMs);
  yield* moveKeyChats(dialect, fromChatId, toChatId);
}

/** A desk follows its forum. */
export function* moveDesks(fromChatId: number, toChatId: number, nowMs: number): Step<void> {
  const moved = yield* raw<{ id: number; desk_bot_id: number }>(
    `update desks set chat_id = $1, updated_at = $3 where chat_id = $2
       and not exists (select 1 from desks other where other.chat_id = $1)
     returning id, desk_bot_id`,
    [toChatId, fromChatId, nowMs],
  );
  for (const { id, desk_bot_id } of moved) {
    // Messages have other numbers there: the card is no longer known.
    yield* raw('update desk_topics set card_id = 0 where desk_id = $1 and card_id > 0', [id]);
    yield* renewVersion(desk_bot_id);
  }
}

/** Forgets the messages of an alert channel, because they are not in the place to which it leads. */
export function* forgetAlertMessages(channelId: number, nowMs: number): Step<void> {
  yield* raw(
    `update outbox set state = 'failed', error = $2, updated_at = $3
     where state = 'queued' and intent_key in (
       select intent from alert_messages where channel_id = $1 and state = 'sending')`,
    [channelId, packReason(reason('alert_channel_moved')), nowMs],
  );
  yield* raw('delete from alert_messages where channel_id = $1', [channelId]);
}

/** Moves alert channels to the new ID of a group that became a supergroup. */
export function* moveAlertChannels(
  dialect: DialectName,
  fromChatId: number,
  toChatId: number,
  nowMs: number,
): Step<void> {
  const rows = yield* raw<{ id: number; settings: string }>(
    `select id, settings from alert_channels where bot_id is not null order by id
     ${wordsOf[dialect].lock('for update')}`,
    [],
  );
  for (const { id, settings } of rows) {
    const before = JSON.parse(settings) as ChannelSettings;
    if (before.chat_id !== fromChatId) continue;
    yield* raw(
      `update alert_channels set settings = $1, error = '', failed_at = 0, updated_at = $2
       where id = $3`,
      [JSON.stringify({ ...before, chat_id: toChatId }), nowMs, id],
    );
    yield* forgetAlertMessages(id, nowMs);
  }
}

/** Keys that may use the group may use the supergroup. */
function* moveKeyChats(dialect: DialectName, fromChatId: number, toChatId: number): Step<void> {
  type Row = { id: number; read_chats: string | null; write_chats: string | null };
  const rows = yield* raw<Row>(
    `select id, read_chats, write_chats from api_keys
     where read_chats is not null or write_chats is not null order by id
     ${wordsOf[dialect].lock('for update')}`,
    [],
  );
  const moved = (stored: string | null) => {
    const ids = readIdList(stored);
    return writeIdList(ids && ids.map((id) => (id === fromChatId ? toChatId : id)));
  };
  for (const { id, ...before } of rows) {
    const [read, write] = [moved(before.read_chats), moved(before.write_chats)];
    if (read === before.read_chats && write === before.write_chats) continue;
    yield* raw('update api_keys set read_chats = $1, write_chats = $2 where id = $3', [
      read,
      write,
      id,
    ]);
  }
}

export interface ChatMoveRepository {
  /** Returns new IDs by former ones, for the groups of all bots. */
  all(): Promise<ReadonlyMap<number, number>>;
  /** The time of the last move; 0 if there was none. */
  latest(): Promise<number>;
  /** Lists routes changed at or after that time. */
  routesChangedSince(atMs: number): Promise<{ id: number; source_bot_id: number }[]>;
}

export function createChatMoveRepository(engine: Engine): ChatMoveRepository {
  return {
    async all() {
      const rows = await engine.readHeavy<{ former: number; next: number }>(
        'select distinct chat_id as former, migrated_to as next from chats where migrated_to <> 0',
        [],
      );
      return new Map(rows.map(({ former, next }) => [former, next]));
    },
    async latest() {
      const [row] = await engine.readRaw<{ at: number }>(
        'select coalesce(max(updated_at), 0) as at from chats where migrated_to <> 0',
        [],
      );
      return row?.at ?? 0;
    },
    routesChangedSince: (atMs) =>
      engine.readRaw('select id, source_bot_id from routes where updated_at >= $1', [atMs]),
  };
}
