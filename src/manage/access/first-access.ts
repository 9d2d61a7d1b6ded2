import { reason } from '../../core/reasons/reason.ts';
import type { Clock } from '../../clock.ts';
import {
  isApiKey,
  keyHint,
  newApiKey,
  newSecret,
  type RandomBytes,
} from '../../core/access/keys.ts';
import type { Passwords } from '../../core/access/passwords.ts';
import { normalName } from '../../core/access/username.ts';
import { secretHash } from '../../core/access/vault.ts';
import { RelayError } from '../../errors.ts';
import type { StoredApiKey } from '../../store/access/api-keys.ts';
import type { Store } from '../../store/store.ts';
import type { StoredUser } from '../../store/access/users.ts';
import type { AuditLog } from './audit.ts';
import type { Sessions, SignedIn } from './sessions.ts';

const setupSetting = 'setup_token_hash';
const startedSetting = 'first_access_at';
/** The link expires, because a link in an old log must not make its reader an admin. */
export const setupLinkHours = 24;
const settingKeyCreator = 'RELAY_ADMIN_KEY';

type AccessStore = Pick<Store, 'engine' | 'apiKeys' | 'users' | 'settings'>;

/** Secrets that are shown once, on the first start, and cannot be recovered. */
export interface FirstAccess {
  key: string;
  /** '' if no link was requested. */
  setupToken: string;
}

/**
 * Creates the access for the first person. If several nodes start at once on an empty database, one
 * gets the secrets to print, the others nothing. Print them at once, because they are never created
 * again.
 */
export async function ensureFirstAccess(deps: {
  store: AccessStore;
  clock: Clock;
  adminKey: string;
  /** False if the first admin is created in another way. */
  setupLink?: boolean;
  /** The audit log that records the keys created at this start. */
  audit?: Pick<AuditLog, 'note'>;
  random?: RandomBytes;
}): Promise<FirstAccess | undefined> {
  const { engine, apiKeys, users, settings } = deps.store;
  const now = deps.clock.now();
  if (deps.adminKey !== '') {
    const { added, removed } = await installAdminKey(deps.store, deps.adminKey, now);
    for (const before of removed) {
      await deps.audit?.note(settingKeyCreator, { action: 'auth.api-keys.delete', before });
    }
    if (added) {
      await deps.audit?.note(settingKeyCreator, { action: 'auth.api-keys.create', after: added });
    }
    return undefined;
  }
  const key = newApiKey(deps.random);
  const setupToken = deps.setupLink === false ? '' : newSecret(deps.random);
  const made = await engine.write(function* () {
    if ((yield* apiKeys.listStep()).length > 0 || (yield* users.listStep()).length > 0) {
      return undefined;
    }
    if (!(yield* settings.addStep(startedSetting, String(now)))) return undefined;
    const record = yield* apiKeys.insertStep({
      name: 'first admin key',
      keyHash: secretHash(key),
      hint: keyHint(key),
      scope: 'admin',
      botIds: null,
      expiresAt: null,
      createdBy: 'first start',
      createdAt: now,
    });
    if (setupToken !== '') yield* settings.setStep(setupSetting, secretHash(setupToken));
    return record;
  });
  if (!made) return undefined;
  await deps.audit?.note('first start', { action: 'auth.api-keys.create', after: made });
  return { key, setupToken };
}

/** Makes the key of the setting an admin key, and revokes an earlier value of the setting. */
async function installAdminKey(
  store: AccessStore,
  key: string,
  now: number,
): Promise<{ added: StoredApiKey | undefined; removed: StoredApiKey[] }> {
  if (!isApiKey(key)) {
    throw new RelayError('bad_setting', reason('admin_key_short'));
  }
  const keyHash = secretHash(key);
  const { apiKeys, engine } = store;
  const install = function* () {
    const keys = yield* apiKeys.listStep();
    const installed = keys.find((candidate) => candidate.keyHash === keyHash);
    const removed = keys.filter((old) => old.createdBy === settingKeyCreator && old !== installed);
    for (const old of removed) yield* apiKeys.deleteStep(old.id);
    if (installed?.scope === 'admin' && installed.botIds === null && installed.expiresAt === null) {
      if (!installed.disabled) return { added: undefined, removed };
      yield* apiKeys.setDisabledStep(installed.id, false);
      return { added: { ...installed, disabled: false }, removed };
    }
    if (installed) {
      yield* apiKeys.deleteStep(installed.id);
      removed.push(installed);
    }
    const added = yield* apiKeys.insertStep({
      name: 'admin key of the settings',
      keyHash,
      hint: keyHint(key),
      scope: 'admin',
      botIds: null,
      expiresAt: null,
      createdBy: settingKeyCreator,
      createdAt: now,
    });
    return { added, removed };
  };
  try {
    return await engine.write(install);
  } catch (error) {
    // Another node that starts at the same moment has added it.
    if ((error as { code?: unknown }).code !== '23505') throw error;
    return await engine.write(install);
  }
}

const isAdmin = (user: StoredUser) => user.role === 'admin';

export interface SetupLink {
  /** False if it has expired or was used, or if an admin exists. */
  isUsable(token: string): Promise<boolean>;
  /** Creates the first admin and signs them in; the link is void once any admin exists. */
  use(request: { token: string; username: string; password: string }): Promise<SignedIn>;
}

export function createSetupLink(deps: {
  store: AccessStore;
  sessions: Sessions;
  passwords: Passwords;
  clock: Clock;
}): SetupLink {
  const { engine, settings, users } = deps.store;

  async function hasExpired(): Promise<boolean> {
    const madeAt = Number((await settings.get(startedSetting)) ?? 0);
    return deps.clock.now() - madeAt >= setupLinkHours * 3_600_000;
  }

  async function isUsable(token: string): Promise<boolean> {
    if ((await settings.get(setupSetting)) !== secretHash(token)) return false;
    return !(await hasExpired()) && !(await users.list()).some(isAdmin);
  }

  return {
    isUsable,
    async use({ token, username, password }) {
      const refused = new RelayError('invalid_credentials', reason('setup_link_invalid'));
      // Checked first, so that guessing costs no password hashing.
      if (!(await isUsable(token))) throw refused;
      const passwordHash = await deps.passwords.hash(password);
      return engine.write(function* () {
        if (!(yield* settings.removeStep(setupSetting, secretHash(token)))) throw refused;
        if ((yield* users.listStep()).some(isAdmin)) throw refused;
        const user = yield* users.insertStep({
          username: normalName(username),
          passwordHash,
          role: 'admin',
          botIds: null,
          createdAt: deps.clock.now(),
        });
        if (!user) throw new RelayError('conflict', reason('user_exists', { username }));
        return yield* deps.sessions.openStep(user);
      });
    },
  };
}
