import { reason } from '../../core/reasons/reason.ts';
import type { Clock } from '../../clock.ts';
import type { Caller } from '../../core/access/access.ts';
import { newSecret, type RandomBytes } from '../../core/access/keys.ts';
import type { Passwords } from '../../core/access/passwords.ts';
import { normalName } from '../../core/access/username.ts';
import { botsOfRole, scopeOfRole } from '../../core/access/rights.ts';
import { secretHash } from '../../core/access/vault.ts';
import { RelayError } from '../../errors.ts';
import type { Step } from '../../store/engine.ts';
import type { Store } from '../../store/store.ts';
import type { StoredUser } from '../../store/access/users.ts';
import type { SignInGuard } from './sign-in-guard.ts';

const defaultLifetimeMs = 30 * 24 * 3_600_000;

export interface SignedIn {
  user: StoredUser;
  /** The token for the cookie; shown once. */
  token: string;
  csrfToken: string;
  lifetimeMs: number;
}

export interface Sessions {
  authenticate(
    token: string,
    address: string,
  ): Promise<{ caller: Caller; csrfToken: string } | undefined>;
  signIn(request: { username: string; password: string; address: string }): Promise<SignedIn>;
  /** Opens a session for a known user, within the caller's transaction. */
  openStep(user: StoredUser): Step<SignedIn>;
  signOut(token: string): Promise<void>;
}

export function createSessions(deps: {
  store: Pick<Store, 'engine' | 'users' | 'sessions'>;
  clock: Clock;
  passwords: Passwords;
  guard: SignInGuard;
  lifetimeMs?: number;
  random?: RandomBytes;
}): Sessions {
  const { clock, guard, passwords, lifetimeMs = defaultLifetimeMs } = deps;
  const { engine, sessions, users } = deps.store;

  function* openStep(user: StoredUser): Step<SignedIn> {
    const now = clock.now();
    const token = newSecret(deps.random);
    const csrfToken = newSecret(deps.random);
    yield* sessions.removeExpiredStep(now);
    yield* sessions.insertStep({
      tokenHash: secretHash(token),
      userId: user.id,
      csrfToken,
      createdAt: now,
      expiresAt: now + lifetimeMs,
    });
    const signedIn = { ...user, lastSignInAt: now };
    yield* users.updateStep(signedIn);
    return { user: signedIn, token, csrfToken, lifetimeMs };
  }

  return {
    openStep,
    async authenticate(token, address) {
      const session = await sessions.findByHash(secretHash(token));
      if (!session || session.disabled || session.expiresAt <= clock.now()) return undefined;
      const caller: Caller = {
        kind: 'user',
        id: session.userId,
        name: session.username,
        scope: scopeOfRole(session.role),
        role: session.role,
        botIds: botsOfRole(session.role, session.botIds),
        address,
      };
      return { caller, csrfToken: session.csrfToken };
    },
    async signIn({ username, password, address }) {
      const name = normalName(username);
      const attempt = await guard.begin(address, name);
      const known = await users.findByName(name);
      const right = await passwords.verify(password, known?.passwordHash);
      if (!known || !right || known.disabled) {
        throw new RelayError('invalid_credentials', reason('wrong_name_or_password'));
      }
      await attempt.succeeded();
      return engine.write(function* () {
        const user = yield* users.getStep(known.id);
        if (!user || user.passwordHash !== known.passwordHash) {
          throw new RelayError('invalid_credentials', reason('user_changed'));
        }
        return yield* openStep(user);
      });
    },
    signOut: (token) => sessions.remove(secretHash(token)),
  };
}
