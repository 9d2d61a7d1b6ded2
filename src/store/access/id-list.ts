import { type Engine, raw, type Step } from '../engine.ts';
import { wordsOf } from '../sql/dialect.ts';

/** Reads a list of bots or chats as keys and users store it; null means all of them. */
export function readIdList(stored: string | null): number[] | null {
  return stored === null ? null : (JSON.parse(stored) as number[]);
}

export function writeIdList(ids: readonly number[] | null): string | null {
  return ids === null ? null : JSON.stringify([...new Set(ids)].sort((a, b) => a - b));
}

/** Returns which of these bots do not exist. */
export function* missingBots(engine: Engine, botIds: readonly number[]): Step<number[]> {
  if (botIds.length === 0) return [];
  const { isIn, list } = wordsOf[engine.dialect];
  const rows = yield* raw<{ id: number }>(`select id from bots where ${isIn('id', '$1')}`, [
    list(botIds),
  ]);
  const there = new Set(rows.map((row) => row.id));
  return botIds.filter((id) => !there.has(id));
}
