/* Plans the changes of a file and checks them as a whole, before its entries are checked. */
import {
  type Change,
  type ConfigDocument,
  type EntryKind,
  type FileEntry,
  sectionOf,
} from '../../core/config-file/document.ts';
import { entryKey, planChanges } from '../../core/config-file/plan.ts';
import { reason } from '../../core/reasons/reason.ts';
import { RelayError } from '../../errors.ts';
import { wrongEntry } from './changes.ts';
import type { AppliedChange, CurrentConfig, Plan } from './config-kind.ts';
import { configKinds, kindOf } from './config-kinds.ts';

export interface PlanOptions {
  prune: boolean;
  /** If set, any other deletion is a conflict, and nothing changes. */
  deletions?: readonly { kind: EntryKind; id: number }[] | undefined;
}

export function planConfig(
  file: Pick<Plan, 'wanted' | 'current' | 'nowMs'> & { document: ConfigDocument },
  { prune, deletions }: PlanOptions,
): Plan {
  const { document, wanted, current, nowMs } = file;
  const isPruned = prune ? prunedBy(document) : () => false;
  const changes = planChanges(current.entries, wanted, isPruned).map((change) => ({
    ...change,
    id: current.stored[change.kind].get(change.name)?.id ?? 0,
  }));
  if (deletions) checkDeletions(changes, deletions);
  const staying = without(current, changes);
  const listed = new Set(wanted.map(entryKey));
  const kept = staying.entries.filter((entry) => !listed.has(entryKey(entry)));
  const entries = [...wanted, ...kept];
  const plan = { wanted, changes, current, staying, entries, nowMs };
  checkBots(plan);
  for (const check of new Set(Object.values(configKinds).map((kind) => kind.check))) check?.(plan);
  return plan;
}

/** Omitted sections are not touched, but entries bound to a deleted bot are deleted with it. */
function prunedBy(document: ConfigDocument): (entry: FileEntry) => boolean {
  const listed = new Set(document.bots?.map((bot) => bot.platform_id));
  const goes = (platformId: number) => document.bots !== undefined && !listed.has(platformId);
  return (entry) => {
    const { remove, boundBy } = kindOf(entry);
    const bots = kindOf(entry).bots(entry);
    return (
      remove !== null &&
      (document[sectionOf[entry.kind]] !== undefined ||
        boundBy.some((field) => bots[field]?.some(goes)))
    );
  };
}

function checkDeletions(
  changes: readonly AppliedChange[],
  confirmed: NonNullable<PlanOptions['deletions']>,
): void {
  const unconfirmed = changes.filter(
    ({ change, kind, id }) =>
      change === 'delete' && !confirmed.some((one) => one.kind === kind && one.id === id),
  );
  if (unconfirmed.length === 0) return;
  const names = unconfirmed.map(({ kind, name }) => `${kind} ${name}`).join(', ');
  throw new RelayError('conflict', reason('config_deletes_more', { names }));
}

/** Returns the configuration without the entries that these changes delete. */
function without(current: CurrentConfig, changes: readonly Change[]): CurrentConfig {
  const gone = new Set(changes.filter(({ change }) => change === 'delete').map(entryKey));
  const stored = Object.entries(current.stored as Record<string, ReadonlyMap<string, unknown>>);
  const rest = stored.map(([kind, records]): [string, ReadonlyMap<string, unknown>] => [
    kind,
    new Map([...records].filter(([name]) => !gone.has(entryKey({ kind, name })))),
  ]);
  return {
    ...current,
    entries: current.entries.filter((entry) => !gone.has(entryKey(entry))),
    stored: Object.fromEntries(rest) as CurrentConfig['stored'],
  };
}

/** Checks that every bot that an entry names is in the file or on the service, and is not deleted. */
function checkBots({ wanted, entries }: Plan): void {
  const there = new Set(entries.flatMap(({ kind, name }) => (kind === 'bot' ? [name] : [])));
  for (const entry of wanted) {
    for (const [field, platformIds] of Object.entries(kindOf(entry).bots(entry))) {
      const missing = platformIds.find((id) => !there.has(String(id)));
      if (missing === undefined) continue;
      throw wrongEntry(entry, field, reason('bot_not_in_config', { platform_id: missing }));
    }
  }
}
