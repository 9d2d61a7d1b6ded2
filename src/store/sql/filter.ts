import type { DialectName } from '../engine.ts';
import { wordsOf } from './dialect.ts';

/**
 * A condition with a question mark for each of its values. A filter that is not set is undefined or
 * false.
 */
export type Filter = readonly [text: string, ...values: readonly unknown[]] | undefined | false;

/** Joins the conditions that are set, and numbers their parameters. */
export function filter(conditions: readonly Filter[]): {
  where: string;
  parameters: unknown[];
} {
  const parameters: unknown[] = [];
  const texts: string[] = [];
  for (const condition of conditions) {
    if (!condition) continue;
    const values = condition.slice(1);
    texts.push(condition[0].replaceAll('?', () => `$${parameters.push(values.shift())}`));
  }
  return { where: texts.length === 0 ? '' : `where ${texts.join(' and ')}`, parameters };
}

/**
 * Selects the rows of these bots, or all rows with null. One bot is compared with `=`, because only
 * then an index returns the rows in their order, and a page needs no sorting of all of them.
 */
export function ofBots(dialect: DialectName, botIds: readonly number[] | null): Filter {
  return amongIds(dialect, 'bot_id', botIds);
}

/** The same for the chats that a caller may read. */
export function ofChats(dialect: DialectName, chatIds: readonly number[] | null): Filter {
  return amongIds(dialect, 'chat_id', chatIds);
}

function amongIds(dialect: DialectName, column: string, ids: readonly number[] | null): Filter {
  if (ids === null) return undefined;
  if (ids.length === 1) return [`${column} = ?`, ids[0]];
  const { isIn, list } = wordsOf[dialect];
  return [isIn(column, '?'), list(ids)];
}
