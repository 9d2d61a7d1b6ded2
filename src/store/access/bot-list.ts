import { type Engine, raw, type Step } from '../engine.ts';
import { wordsOf } from '../sql/dialect.ts';

/** Reads a list of bots as keys and users store it; null means every bot. */
export function readBotList(stored: string | null): number[] | null {
  return stored === null ? null : (JSON.parse(stored) as number[]);
}

export function writeBotList(botIds: readonly number[] | null): string | null {
  return botIds === null ? null : JSON.stringify([...new Set(botIds)].sort((a, b) => a - b));
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
