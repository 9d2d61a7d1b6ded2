/*
 * Makes sure that somebody can manage the service after a file is applied: an admin, or a key with the same rights.
 */
import { reason } from '../../../core/reasons/reason.ts';
import { RelayError } from '../../../errors.ts';
import type { StoredApiKey } from '../../../store/access/api-keys.ts';
import type { StoredUser } from '../../../store/access/users.ts';
import type { Step } from '../../../store/engine.ts';
import type { Store } from '../../../store/store.ts';
import type { CurrentConfig, Plan } from '../config-kind.ts';

type AdminUser = Pick<StoredUser, 'role' | 'disabled'>;
type AdminKey = Pick<StoredApiKey, 'scope' | 'botIds' | 'disabled' | 'expiresAt'>;

export const expiryOf = ({ expires_at }: { expires_at?: string | null }) =>
  expires_at ? Date.parse(expires_at) : null;

/** Refuses changes that would leave nobody to manage the service, before anything is written. */
export function checkAdmin({ current, entries, nowMs }: Plan): void {
  if (!hadAdmin(current, nowMs)) return;
  const users = entries.flatMap((entry) =>
    entry.kind === 'user' ? [entry.fields as Required<typeof entry.given>] : [],
  );
  const keys = entries.flatMap((entry) => {
    if (entry.kind !== 'key') return [];
    const { scope, disabled } = entry.fields as Required<typeof entry.given>;
    const botIds = entry.fields['bots'] as number[] | null;
    return [{ scope, disabled, botIds, expiresAt: expiryOf(entry.given) }];
  });
  if (!hasAdmin(users, keys, nowMs)) throw withoutAdmin();
}

/** Checks the same in the transaction, which sees changes made meanwhile. */
export function* verifyAdmin(store: Store, current: CurrentConfig, nowMs: number): Step<void> {
  if (!hadAdmin(current, nowMs)) return;
  const users = yield* store.users.listStep();
  if (!hasAdmin(users, yield* store.apiKeys.listStep(), nowMs)) throw withoutAdmin();
}

const withoutAdmin = () => new RelayError('conflict', reason('config_without_admin'));

function hadAdmin({ stored }: CurrentConfig, nowMs: number): boolean {
  return hasAdmin([...stored.user.values()], [...stored.key.values()], nowMs);
}

function hasAdmin(users: readonly AdminUser[], keys: readonly AdminKey[], nowMs: number): boolean {
  return (
    users.some(({ role, disabled }) => role === 'admin' && !disabled) ||
    keys.some(
      ({ scope, botIds, disabled, expiresAt }) =>
        scope === 'admin' && botIds === null && !disabled && (expiresAt ?? Infinity) > nowMs,
    )
  );
}
