import type { Engine } from '../engine.ts';

/** Changes whenever any bot's log grows. */
export async function sumOfHeads(engine: Engine): Promise<number> {
  const [row] = await engine.readRaw<{ total: number }>(
    'select coalesce(sum(last_position), 0) as total from log_heads',
    [],
  );
  return row?.total ?? 0;
}

export async function readHeads(
  engine: Engine,
): Promise<{ botId: number; lastPosition: number }[]> {
  return await engine.readRaw(
    'select bot_id as "botId", last_position as "lastPosition" from log_heads',
    [],
  );
}
