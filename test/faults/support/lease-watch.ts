import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { Database } from '../../support/database/engines.ts';

interface Lease {
  /** Empty between a release and the next owner. */
  owner: string;
  epoch: number;
  /** By `performance.now()`. */
  at: number;
}

/** Records which node held which bot when, and cursors that moved back or were moved by a node without the lease. */
export interface LeaseWatch {
  /** All changes of a bot's lease so far, in order. */
  history(botId: number): readonly Lease[];
  lease(botId: number): Lease | undefined;
  movedBack: string[];
  /** Cursors of push and routing that a node moved for a bot of another one; nodes connect with their name. */
  staleWrites: string[];
  stop(): Promise<void>;
}

const everyMs = 25;

// Kept by the database itself, so that nothing between two looks is missed.
const recorders = `
  create table fault_leases (
    id bigserial primary key, bot_id bigint, owner text, epoch bigint, at double precision
  );
  create table fault_cursors (id bigserial primary key, what text);
  create table fault_stale (id bigserial primary key, what text);
  create function fault_stale() returns trigger language plpgsql as $$
    declare holder text := (select owner from leases where bot_id = new.bot_id);
    begin
      if holder is distinct from current_setting('application_name') then
        insert into fault_stale (what) values (format('%s of bot %s by %s, held by %s',
          tg_table_name, new.bot_id, current_setting('application_name'), holder));
      end if;
      return null;
    end $$;
  create trigger fault_stale after update of position on readers
    for each row when (new.name in ('push', 'routing')) execute function fault_stale();
  create function fault_lease() returns trigger language plpgsql as $$ begin
    insert into fault_leases (bot_id, owner, epoch, at) values
      (new.bot_id, new.owner, new.epoch, extract(epoch from clock_timestamp()) * 1000);
    return null;
  end $$;
  create trigger fault_lease after insert or update on leases
    for each row execute function fault_lease();
  create function fault_cursor() returns trigger language plpgsql as $$ begin
    insert into fault_cursors (what) values
      (format('%s of bot %s: %s to %s', new.name, new.bot_id, old.position, new.position));
    return null;
  end $$;
  create trigger fault_cursor after update on readers
    for each row when (new.position < old.position) execute function fault_cursor();`;

export async function watchLeases(database: Database): Promise<LeaseWatch> {
  const client = new pg.Client({ connectionString: database.databaseUrl });
  await client.connect();
  await client.query(recorders);
  const histories = new Map<number, Lease[]>();
  const movedBack: string[] = [];
  const staleWrites: string[] = [];
  let isOver = false;
  const seen = new Set<number>();
  let newest = 0;

  async function look(): Promise<void> {
    const { rows } = await client.query(
      'select id, bot_id, owner, epoch, at from fault_leases where id > $1 order by id',
      // Ids are given out before the commit, so an earlier one can appear later.
      [newest - 1_000],
    );
    for (const row of rows as Record<'id' | 'bot_id' | 'owner' | 'epoch' | 'at', string>[]) {
      const id = Number(row.id);
      if (seen.has(id)) continue;
      seen.add(id);
      newest = Math.max(newest, id);
      const history = histories.get(Number(row.bot_id)) ?? [];
      histories.set(Number(row.bot_id), history);
      const at = Number(row.at) - performance.timeOrigin;
      history.push({ owner: row.owner, epoch: Number(row.epoch), at });
      history.sort((a, b) => a.epoch - b.epoch);
    }
  }

  const looking = (async () => {
    while (!isOver) {
      await pause(everyMs);
      await look();
    }
  })();
  return {
    history: (botId) => histories.get(botId) ?? [],
    lease: (botId) => histories.get(botId)?.at(-1),
    movedBack,
    staleWrites,
    async stop() {
      if (isOver) return;
      isOver = true;
      await looking;
      await look();
      for (const [table, found] of [
        ['fault_cursors', movedBack],
        ['fault_stale', staleWrites],
      ] as const) {
        const { rows } = await client.query(`select what from ${table} order by id`);
        found.push(...rows.map(({ what }: { what: string }) => what));
      }
      await client.end();
    },
  };
}
