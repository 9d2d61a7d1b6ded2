import { normalName } from '../access/users.ts';
import { secretHash } from '../../core/access/vault.ts';
import {
  type AppInFile,
  type ConfigDocument,
  entriesOf,
  type FileEntry,
} from '../../core/config-file/document.ts';
import { entryKey } from '../../core/config-file/plan.ts';
import { leftToClient } from '../../core/config-file/self-set.ts';
import { hiddenFields, referableFields, referenceIn } from '../../core/config-file/references.ts';
import { updateKinds } from '../../core/log/update-kinds.ts';
import { reason } from '../../core/reasons/reason.ts';
import type { Store } from '../../store/store.ts';
import { wrongEntry } from './changes.ts';
import type { CurrentConfig } from './current-config.ts';

/** With the hashes of keys, so that they can be compared. */
export function currentEntries({ document, keys }: CurrentConfig): FileEntry[] {
  return entriesOf(document).map((entry) =>
    entry.kind === 'key'
      ? { ...entry, fields: { ...entry.fields, key: keys.get(entry.name)?.keyHash } }
      : entry,
  );
}

/** The entries of a file in the words of this service; throws when they cannot be told apart. */
export async function wantedEntries(
  store: Pick<Store, 'apps'>,
  document: ConfigDocument,
  current: CurrentConfig,
): Promise<FileEntry[]> {
  const known = new Set(currentEntries(current).map(entryKey));
  const users = document.users?.map((user) => ({ ...user, username: normalName(user.username) }));
  const entries = entriesOf({ ...document, ...(users ? { users } : {}) });
  const seen = new Set<string>();
  const secrets = new Set<string>();
  const wanted: FileEntry[] = [];
  for (const entry of entries) {
    const key = entryKey(entry);
    if (seen.has(key)) throw wrongEntry(entry, '', reason('listed_twice'));
    seen.add(key);
    const usable = resolved(entry, known.has(key));
    requireNew(usable, secrets);
    const own = current.selfSet.get(key);
    if (own) Object.assign(usable.fields, leftToClient(usable, own));
    wanted.push(await comparable(store, usable, current));
  }
  return wanted;
}

/** Each token and key of a file opens one thing only. */
function requireNew(entry: FileEntry, secrets: Set<string>): void {
  for (const field of ['token', 'key']) {
    const secret = (entry.given as Readonly<Record<string, unknown>>)[field];
    if (typeof secret !== 'string') continue;
    if (secrets.has(secret)) throw wrongEntry(entry, field, reason('value_taken'));
    secrets.add(secret);
  }
}

/** A reference that nobody resolved is no value: of those that are needed once, it is left out. */
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

async function comparable(
  store: Pick<Store, 'apps'>,
  entry: FileEntry,
  current: CurrentConfig,
): Promise<FileEntry> {
  if (entry.kind === 'key') return comparableKey(entry);
  if (entry.kind !== 'app') return entry;
  const { token } = entry.given;
  const { allowed_updates: kinds = [] } = entry.fields as Pick<AppInFile, 'allowed_updates'>;
  const hasAll = updateKinds.every((kind) => kinds.includes(kind));
  const fields = { ...entry.fields, allowed_updates: hasAll ? [] : kinds };
  const holder = token === undefined ? undefined : await store.apps.byToken(token);
  const isOwn = holder !== undefined && holder.id === current.apps.get(entry.name)?.app.id;
  return { ...entry, fields: isOwn ? { ...fields, token: undefined } : fields };
}

function comparableKey(entry: Extract<FileEntry, { kind: 'key' }>): FileEntry {
  const { key, expires_at: expiresAt = '' } = entry.given;
  const at = Date.parse(expiresAt);
  if (expiresAt !== '' && Number.isNaN(at)) {
    const example = '2030-01-31T12:00:00Z';
    throw wrongEntry(entry, 'expires_at', reason('not_a_moment', { example }));
  }
  const fields = {
    ...entry.fields,
    expires_at: expiresAt === '' ? '' : new Date(at).toISOString(),
    key: key === undefined ? undefined : secretHash(key),
  };
  return { ...entry, fields };
}
