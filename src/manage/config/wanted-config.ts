import { type ConfigDocument, entriesOf, type FileEntry } from '../../core/config-file/document.ts';
import { entryKey } from '../../core/config-file/plan.ts';
import { leftToClient } from '../../core/config-file/self-set.ts';
import { hiddenFields, referableFields, referenceIn } from '../../core/config-file/references.ts';
import { reason } from '../../core/reasons/reason.ts';
import type { Store } from '../../store/store.ts';
import { wrongEntry } from './changes.ts';
import type { CurrentConfig } from './config-kind.ts';
import { kindOf } from './config-kinds.ts';

/** Translates the entries of a file for this service; throws if they cannot be told apart. */
export async function wantedEntries(
  store: Pick<Store, 'apps'>,
  document: ConfigDocument,
  current: CurrentConfig,
): Promise<FileEntry[]> {
  const known = new Set(current.entries.map(entryKey));
  const seen = new Set<string>();
  const secrets = new Set<string>();
  const wanted: FileEntry[] = [];
  for (const entry of entriesOf(document)) {
    const key = entryKey(entry);
    if (seen.has(key)) throw wrongEntry(entry, '', reason('listed_twice'));
    seen.add(key);
    const usable = resolved(entry, known.has(key));
    requireNew(usable, secrets);
    const own = current.selfSet.get(key);
    if (own) Object.assign(usable.fields, leftToClient(usable, own));
    wanted.push(await kindOf(usable).compare(usable, current, store));
  }
  return wanted;
}

/** Checks that no two entries of a file use the same token or key. */
function requireNew(entry: FileEntry, secrets: Set<string>): void {
  for (const field of ['token', 'key']) {
    const secret = (entry.given as Readonly<Record<string, unknown>>)[field];
    if (typeof secret !== 'string') continue;
    if (secrets.has(secret)) throw wrongEntry(entry, field, reason('value_taken'));
    secrets.add(secret);
  }
}

/** Leaves out unresolved references in fields that are needed only for new entries. */
function resolved(entry: FileEntry, isKnown: boolean): FileEntry {
  const given: Record<string, unknown> = { ...entry.given };
  const fields = { ...entry.fields };
  for (const [field, value] of Object.entries(given)) {
    if (typeof value !== 'string' || !referableFields.has(field) || !referenceIn(value)) continue;
    if (!isKnown || !hiddenFields.has(field)) {
      throw wrongEntry(entry, field, reason('reference_unresolved', { reference: value }));
    }
    delete given[field];
    delete fields[field];
  }
  return { ...entry, given, fields } as unknown as FileEntry;
}
