import type { FileEntry } from '../../core/config-file/document.ts';
import type { PlannedChange } from '../../core/config-file/plan.ts';
import { isApiKey, keyHint } from '../../core/access/keys.ts';
import type { Passwords } from '../../core/access/passwords.ts';
import { secretHash } from '../../core/access/vault.ts';
import { reason } from '../../core/reasons/reason.ts';
import { invalidField, RelayError } from '../../errors.ts';
import type { StoredApiKey } from '../../store/access/api-keys.ts';
import type { StoredUser } from '../../store/access/users.ts';
import type { Step } from '../../store/engine.ts';
import type { Store } from '../../store/store.ts';
import type { Changed, Job, Writing } from './changes.ts';
import type { CurrentConfig } from './current-config.ts';

const leastPassword = 8;
const idsOf = ({ botIds }: Writing, platformIds: readonly number[]) =>
  platformIds.map((id) => botIds.get(id) as number);

const expiryOf = ({ expires_at }: { expires_at?: string | null }) =>
  expires_at ? Date.parse(expires_at) : null;

export async function prepareUser(
  { store, passwords }: { store: Store; passwords: Passwords },
  { fields, given, name }: Changed<'user'>,
  current: CurrentConfig,
): Promise<Job> {
  const before = current.users.find((user) => user.username === name);
  const { role, bots, disabled } = fields as Required<typeof given>;
  const botIds = (writing: Writing) => (role === 'admin' ? null : idsOf(writing, bots));
  if (before) {
    return function* (writing) {
      // Its password may be another by now.
      const stored = yield* store.users.getStep(before.id);
      if (!stored) throw new RelayError('conflict', reason('config_outrun'));
      yield* store.users.updateStep({ ...stored, role, botIds: botIds(writing), disabled });
      if (disabled) yield* store.sessions.removeOfUserStep(before.id);
    };
  }
  const { password } = given;
  if (password === undefined) throw invalidField('password', reason('needed_for_new_entry'));
  if (password.length < leastPassword) {
    throw invalidField('password', reason('too_short', { least: leastPassword }));
  }
  const passwordHash = await passwords.hash(password);
  return function* (writing) {
    const { nowMs: createdAt } = writing;
    const user = { username: name, passwordHash, role, botIds: botIds(writing), createdAt };
    const added = yield* store.users.insertStep(user);
    if (!added) throw new RelayError('conflict', reason('user_exists', { username: name }));
    if (disabled) yield* store.users.updateStep({ ...added, disabled });
  };
}

export function prepareKey(
  store: Store,
  { fields, given, name }: Changed<'key'>,
  current: CurrentConfig,
  createdBy: string,
): Job {
  const before = current.keys.get(name);
  const { key } = given;
  if (key !== undefined && !isApiKey(key)) throw invalidField('key', reason('not_an_api_key'));
  if (key === undefined && !before) throw invalidField('key', reason('needed_for_new_entry'));
  const secret = key === undefined ? {} : { keyHash: secretHash(key), hint: keyHint(key) };
  if (
    [...current.keys.values()].some(
      (one) => one.keyHash === secret.keyHash && one.id !== before?.id,
    )
  ) {
    throw invalidField('key', reason('value_taken'));
  }
  const { scope, disabled } = fields as Required<typeof given>;
  const bots = fields['bots'] as readonly number[] | null;
  const expiresAt = expiryOf(given);
  return function* (writing) {
    const botIds = bots && idsOf(writing, bots);
    if (before) {
      yield* store.apiKeys.updateStep({ ...before, ...secret, scope, botIds, expiresAt, disabled });
      return;
    }
    const made = { name, scope, botIds, expiresAt, createdBy, createdAt: writing.nowMs };
    const { keyHash = '', hint = '' } = secret;
    const added = yield* store.apiKeys.insertStep({ ...made, keyHash, hint });
    if (disabled) yield* store.apiKeys.updateStep({ ...added, disabled });
  };
}

/** Refuses changes that would leave nobody to manage the service, before anything is written. */
export function checkAdmin(
  wanted: readonly FileEntry[],
  current: CurrentConfig,
  changes: readonly PlannedChange[],
  nowMs: number,
): void {
  if (!hasAdmin(current.users, [...current.keys.values()], nowMs)) return;
  const changed = new Set(changes.map(({ kind, name }) => `${kind} ${name}`));
  const users: AdminUser[] = current.users.filter(
    ({ username }) => !changed.has(`user ${username}`),
  );
  const keys: AdminKey[] = [...current.keys]
    .filter(([name]) => !changed.has(`key ${name}`))
    .map(([, key]) => key);
  for (const entry of wanted) {
    if (entry.kind === 'user') users.push(entry.fields as Required<typeof entry.given>);
    if (entry.kind !== 'key') continue;
    const { scope, disabled } = entry.fields as Required<typeof entry.given>;
    const botIds = entry.fields['bots'] as number[] | null;
    keys.push({ scope, disabled, botIds, expiresAt: expiryOf(entry.given) });
  }
  if (!hasAdmin(users, keys, nowMs)) throw withoutAdmin();
}

/** The same in the transaction, whatever was changed meanwhile. */
export function* requireAdmin(store: Store, current: CurrentConfig, nowMs: number): Step<void> {
  if (!hasAdmin(current.users, [...current.keys.values()], nowMs)) return;
  const users = yield* store.users.listStep();
  if (!hasAdmin(users, yield* store.apiKeys.listStep(), nowMs)) throw withoutAdmin();
}

const withoutAdmin = () => new RelayError('conflict', reason('config_without_admin'));

type AdminUser = Pick<StoredUser, 'role' | 'disabled'>;
type AdminKey = Pick<StoredApiKey, 'scope' | 'botIds' | 'disabled' | 'expiresAt'>;

function hasAdmin(users: readonly AdminUser[], keys: readonly AdminKey[], nowMs: number): boolean {
  return (
    users.some(({ role, disabled }) => role === 'admin' && !disabled) ||
    keys.some(
      ({ scope, botIds, disabled, expiresAt }) =>
        scope === 'admin' && botIds === null && !disabled && (expiresAt ?? Infinity) > nowMs,
    )
  );
}
