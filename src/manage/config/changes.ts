import type { FileEntry } from '../../core/config-file/document.ts';
import type { PlannedChange } from '../../core/config-file/plan.ts';
import { type Reason, reason, reasonFrom } from '../../core/reasons/reason.ts';
import { RelayError } from '../../errors.ts';
import type { Step } from '../../store/engine.ts';

/** Within the transaction: the bots by platform ID, with those that it added. */
export interface Writing {
  botIds: Map<number, number>;
  nowMs: number;
}

/** A part of the transaction that applies a file. */
export type Job = (writing: Writing) => Step<void>;

/** An entry of the file that is added or updated. */
export type Changed<Kind extends FileEntry['kind']> = Extract<FileEntry, { kind: Kind }> & {
  change: PlannedChange;
};

const sections = {
  bot: 'bots',
  app: 'apps',
  route: 'routes',
  model: 'model',
  user: 'users',
  key: 'keys',
  channel: 'alert_channels',
};

export function pathOf({ kind, name }: Pick<FileEntry, 'kind' | 'name'>, field = ''): string {
  const entry = kind === 'model' ? sections.model : `${sections[kind]}[${name}]`;
  return field === '' ? entry : `${entry}.${field}`;
}

export function wrongEntry(
  entry: Pick<FileEntry, 'kind' | 'name'>,
  field: string,
  problem: Reason,
  code: RelayError['code'] = 'invalid_request',
): RelayError {
  const place = pathOf(entry, field);
  return new RelayError(code, reason('field_wrong', { field: place, problem }), {
    details: [{ field: place, problem }],
  });
}

/** Says of which entry the work complains. */
export async function checked<T>(entry: FileEntry, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof RelayError)) throw error;
    const [first] = error.details ?? [];
    const problem = first?.problem
      ? reasonFrom({ code: first.reason_code, params: first.params, text: first.problem })
      : error.reason;
    throw wrongEntry(entry, first?.field ?? '', problem, error.code);
  }
}

export function pick<T extends object>(from: T, names: readonly string[]): Partial<T> {
  return Object.fromEntries(
    Object.entries(from).filter(([name]) => names.includes(name)),
  ) as Partial<T>;
}
