import type { NewDesk } from '../../core/desks/desk.ts';
import { deskDefaults, optionsOf } from '../../core/desks/desk-options.ts';
import { reason } from '../../core/reasons/reason.ts';
import { conflictingField } from '../../errors.ts';
import { appsChanged } from '../apps/app-steps.ts';
import { changes, type Engine, raw, type Step } from '../engine.ts';
import { openRoutingReader } from '../routing/routing.ts';
import { withdrawSteps } from '../routing/withdraw-desk-steps.ts';
import { deletePortions } from '../sql/delete-portions.ts';
import { wordsOf } from '../sql/dialect.ts';

/** What changes desks, and which bots are known to have one. */
export interface DeskSettings {
  /** The bot that writes in the forum, by bot whose customers come to a desk. */
  deskBots(): Promise<Map<number, number>>;
  /** False if the bot had no desk when `deskBots` was asked last, which settings changes cause. */
  mayHaveDesk(botId: number): boolean;
  /** Adds a desk, or replaces the one with that ID; an option that is left out has its default. */
  saveStep(id: number | undefined, settings: NewDesk, nowMs: number): Step<number>;
  /** Takes bots out of other desks than the one with that ID. */
  leaveStep(botIds: readonly number[], deskId: number): Step<void>;
  /** Takes bots out of a desk, with their topics a portion at a time: there may be many. */
  release(id: number, botIds: readonly number[], nowMs: number): Promise<void>;
  removeStep(id: number, nowMs: number): Step<boolean>;
}

interface OtherDesk {
  desk_id: number;
  name: string;
}
/** It was deleted meanwhile. */
const noDesk: OtherDesk = { desk_id: 0, name: '' };

export function createDeskSettings(engine: Engine): DeskSettings {
  const { dialect } = engine;
  let known: Map<number, number> | undefined;

  return {
    async deskBots() {
      const rows = await engine.readRaw<{ bot_id: number; desk_bot_id: number }>(
        'select b.bot_id, d.desk_bot_id from desk_bots b join desks d on d.id = b.desk_id',
        [],
      );
      known = new Map(rows.map((row) => [row.bot_id, row.desk_bot_id]));
      return known;
    },
    mayHaveDesk: (botId) => known?.has(botId) ?? true,
    *saveStep(id, { desk_bot_id, chat_id, bot_ids, ...options }, nowMs) {
      const { name, ...settings } = optionsOf({ ...deskDefaults, ...options });
      // Until the bots are read again, any may have a desk.
      known = undefined;
      if (id !== undefined) {
        // A bot edits its own messages only; `/info` makes a card of the new one.
        yield* raw(
          `update desk_topics set card_id = 0 where desk_id = $1 and card_id > 0
             and exists (select 1 from desks where id = $1 and desk_bot_id <> $2)`,
          [id, desk_bot_id],
        );
      }
      const [row] = yield* raw<{ id: number }>(
        id === undefined
          ? `insert into desks (name, desk_bot_id, chat_id, settings, created_at, updated_at)
             values ($1, $2, $3, $5, $4, $4) on conflict (chat_id) do nothing returning id`
          : `update desks set name = $1, desk_bot_id = $2, chat_id = $3, updated_at = $4,
               settings = $5,
               problems = case when desk_bot_id = $2 then problems else '[]' end,
               checked_at = case when desk_bot_id = $2 then checked_at else 0 end
             where id = $6 returning id`,
        [
          name,
          desk_bot_id,
          chat_id,
          nowMs,
          JSON.stringify(settings),
          ...(id === undefined ? [] : [id]),
        ],
      );
      if (!row && id === undefined) {
        const [other] = yield* raw<OtherDesk>(
          'select id as desk_id, name from desks where chat_id = $1',
          [chat_id],
        );
        const why = reason('forum_has_desk', { chat_id, ...noDesk, ...other });
        throw conflictingField('chat_id', why);
      }
      if (!row) return 0;
      // What is queued goes through the new desk bot: the former one may be gone.
      yield* raw(
        `update outbox set bot_id = $2 where state = 'queued' and bot_id <> $2 and intent_key in (
           select doing from desk_topics where desk_id = $1 and doing <> '')`,
        [row.id, desk_bot_id],
      );
      const before = yield* raw<{ bot_id: number }>(
        'select bot_id from desk_bots where desk_id = $1',
        [row.id],
      );
      for (const { bot_id } of before.filter((one) => !bot_ids.includes(one.bot_id))) {
        yield* withdrawSteps('bot_id', bot_id);
        yield* raw('delete from desk_topics where bot_id = $1', [bot_id]);
        yield* raw('delete from desk_bots where bot_id = $1', [bot_id]);
      }
      for (const botId of bot_ids.filter((one) => !before.some(({ bot_id }) => bot_id === one))) {
        // A crash may have left them when the bot left another desk.
        yield* raw('delete from desk_topics where bot_id = $1 and desk_id <> $2', [botId, row.id]);
        const added = yield* raw(
          `insert into desk_bots (bot_id, desk_id) values ($1, $2) on conflict (bot_id) do nothing
           returning 1 as one`,
          [botId, row.id],
        );
        // Another request was faster.
        if (added.length === 0) {
          const [other] = yield* raw<OtherDesk>(
            `select d.id as desk_id, d.name from desk_bots b join desks d on d.id = b.desk_id
             where b.bot_id = $1`,
            [botId],
          );
          const why = reason('bot_has_desk', { bot_id: botId, ...noDesk, ...other });
          throw conflictingField('bot_ids', why);
        }
      }
      yield* changed({ desk_bot_id, bot_ids }, nowMs);
      return row.id;
    },
    *leaveStep(botIds, deskId) {
      const { isIn, list } = wordsOf[dialect];
      const elsewhere = `desk_id <> $1 and ${isIn('bot_id', '$2')}`;
      const leaving = yield* raw<{ bot_id: number }>(
        `select bot_id from desk_bots where ${elsewhere}`,
        [deskId, list(botIds)],
      );
      for (const { bot_id } of leaving) yield* withdrawSteps('bot_id', bot_id);
      for (const table of ['desk_topics', 'desk_bots']) {
        yield* raw(`delete from ${table} where ${elsewhere}`, [deskId, list(botIds)]);
      }
    },
    async release(id, botIds, nowMs) {
      known = undefined;
      const released = await engine.write(function* () {
        const gone: number[] = [];
        for (const botId of botIds) {
          const rows = yield* raw(
            'delete from desk_bots where bot_id = $1 and desk_id = $2 returning 1',
            [botId, id],
          );
          if (rows.length === 0) continue;
          gone.push(botId);
          yield* withdrawSteps('bot_id', botId);
          yield* appsChanged(botId, nowMs);
        }
        return gone;
      });
      for (const botId of released) await deletePortions(engine, [['desk_topics', 'id']], botId);
    },
    *removeStep(id, nowMs) {
      const [desk] = yield* raw<{ desk_bot_id: number }>(
        'select desk_bot_id from desks where id = $1',
        [id],
      );
      if (!desk) return false;
      yield* withdrawSteps('desk_id', id);
      yield* changes('delete from desks where id = $1', [id]);
      yield* changed({ desk_bot_id: desk.desk_bot_id, bot_ids: [] }, nowMs);
      return true;
    },
  };
}

function* changed(desk: { desk_bot_id: number; bot_ids: readonly number[] }, nowMs: number) {
  for (const botId of [...new Set([desk.desk_bot_id, ...desk.bot_ids])].sort((a, b) => a - b)) {
    // From this commit on, updates in its topics are for the desk alone.
    if (yield* appsChanged(botId, nowMs)) yield* openRoutingReader(botId, nowMs);
  }
}
