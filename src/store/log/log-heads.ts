import type { Engine } from '../engine.ts';

/** Reads the ends of the logs of all bots. */
export interface LogHeadRepository {
  /** Changes whenever any bot's log grows. */
  sum(): Promise<number>;
  list(): Promise<{ botId: number; lastPosition: number }[]>;
}

export function createLogHeadRepository(engine: Engine): LogHeadRepository {
  return {
    async sum() {
      const [row] = await engine.readRaw<{ total: number }>(
        'select coalesce(sum(last_position), 0) as total from log_heads',
        [],
      );
      return row?.total ?? 0;
    },
    list: () =>
      engine.readRaw(
        'select bot_id as "botId", last_position as "lastPosition" from log_heads',
        [],
      ),
  };
}
