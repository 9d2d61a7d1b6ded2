import { type ReaderKind, readerKind, readerKinds } from '../../core/log/reader-kinds.ts';
import { type PushProgress, unfinished } from '../../core/log/push-progress.ts';
import type { Engine } from '../engine.ts';
import type { LogHead } from './log.ts';
import { isKnownKind, isWaitedFor } from './reader-sql.ts';

export interface ReaderBehind {
  botId: number;
  /** The stored name. */
  name: string;
  kind: ReaderKind;
  behind: number;
}

const behind = `
  select r.bot_id as "botId", r.name, r.position, r.state, h.last_position as "lastPosition",
    h.trimmed_to as "trimmedTo", (select count(*) from retry_positions p
      where p.bot_id = r.bot_id and p.reader = r.name) as waiting
  from readers r join log_heads h on h.bot_id = r.bot_id join bots b on b.id = r.bot_id
  where b.disabled = 0 and r.position >= 0 and ${isWaitedFor('r.name')} and ${isKnownKind('r.name')}
    and (h.last_position > r.position or exists (
      select 1 from retry_positions p where p.bot_id = r.bot_id and p.reader = r.name))`;

/**
 * Lists the readers of all bots that are on and have not finished, before filters and claims of
 * apps.
 */
export async function readersBehind(engine: Engine): Promise<ReaderBehind[]> {
  const rows = await engine.readHeavy<
    { botId: number; name: string; waiting: number } & PushProgress & LogHead
  >(behind, []);
  return rows.map(({ botId, name, waiting, ...progress }) => {
    const kind = readerKind(name);
    const state = readerKinds[kind].finishesAhead ? progress.state : '';
    const unread = unfinished({ ...progress, state }, progress);
    return { botId, name, kind, behind: Number(waiting) + unread };
  });
}
