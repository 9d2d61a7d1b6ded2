import { reason } from '../../core/reasons/reason.ts';
import type { Clock } from '../../clock.ts';
import { type Caller, requireScope, type Role } from '../../core/access/access.ts';
import type { Passwords } from '../../core/access/passwords.ts';
import { normalName } from '../../core/access/username.ts';
import { botsOfRole } from '../../core/access/rights.ts';
import { secretHash } from '../../core/access/vault.ts';
import { conflictingField, RelayError } from '../../errors.ts';
import type { Step } from '../../store/engine.ts';
import type { Store } from '../../store/store.ts';
import type { StoredUser } from '../../store/access/users.ts';
import { requireWithin } from './api-keys.ts';
import type { SignInGuard } from './sign-in-guard.ts';

export interface NewUserRequest {
  username: string;
  /** Without a password the user cannot sign in until an admin sets one. */
  password?: string;
  role?: Role;
  botIds?: readonly number[];
  /** 0 for none. */
  telegramUserId?: number;
}

export interface UserChanges {
  id: number;
  role?: Role;
  botIds?: readonly number[];
  disabled?: boolean;
  /** 0 for none. */
  telegramUserId?: number;
}

export interface Users {
  list(caller: Caller): Promise<StoredUser[]>;
  create(caller: Caller, request: NewUserRequest): Promise<StoredUser>;
  update(caller: Caller, changes: UserChanges): Promise<StoredUser>;
  remove(caller: Caller, id: number): Promise<StoredUser>;
  /** Sets a password and ends the user's other sessions; `keepSession` is the session of the caller. */
  setPassword(
    caller: Caller,
    request: { id: number; password: string; keepSession: string },
  ): Promise<StoredUser>;
  /** Changes the caller's own password, after checking the old one. */
  changeOwnPassword(
    caller: Caller,
    request: { current: string; password: string; keepSession: string },
  ): Promise<StoredUser>;
}

export function createUsers(deps: {
  store: Pick<Store, 'engine' | 'users' | 'sessions'>;
  clock: Clock;
  passwords: Passwords;
  guard: SignInGuard;
}): Users {
  const { engine, users, sessions } = deps.store;
  const { clock, passwords } = deps;

  function* existing(caller: Caller, id: number): Step<StoredUser> {
    const user = yield* users.getStep(id);
    if (!user) throw new RelayError('user_not_found', reason('no_such_user', { user_id: id }));
    const isSelf = caller.kind === 'user' && caller.id === id;
    if (!isSelf) requireWithin(caller, user.botIds);
    return user;
  }

  function* requireBots(botIds: readonly number[]): Step<void> {
    const [missing] = yield* users.missingBotsStep(botIds);
    if (missing !== undefined) {
      throw new RelayError('bot_not_found', reason('unknown_bot', { bot_id: missing }));
    }
  }

  /** At least one admin who can add users must remain. */
  function* requireAnotherAdmin(user: StoredUser): Step<void> {
    if (user.role !== 'admin' || user.disabled) return;
    const everyone = yield* users.listStep();
    const others = everyone.filter(
      (other) => other.id !== user.id && other.role === 'admin' && !other.disabled,
    );
    if (others.length > 0) return;
    throw new RelayError('conflict', reason('only_admin', { username: user.username }));
  }

  async function storePassword(
    caller: Caller,
    request: { id: number; password: string; keepSession: string },
  ): Promise<StoredUser> {
    const passwordHash = await passwords.hash(request.password);
    return engine.write(function* () {
      const user = { ...(yield* existing(caller, request.id)), passwordHash };
      yield* users.updateStep(user);
      const keptSessionHash = request.keepSession === '' ? '' : secretHash(request.keepSession);
      yield* sessions.removeOfUserStep(user.id, keptSessionHash);
      return user;
    });
  }

  return {
    async list(caller) {
      const everyone = await users.list();
      return caller.botIds === null ? everyone : [];
    },
    async create(caller, request) {
      const role = request.role ?? 'user';
      const botIds = botsOfRole(role, request.botIds);
      requireWithin(caller, botIds);
      const { password } = request;
      const passwordHash = password === undefined ? '' : await passwords.hash(password);
      return engine.write(function* () {
        yield* requireBots(botIds ?? []);
        const user = yield* users.insertStep({
          username: normalName(request.username),
          passwordHash,
          role,
          botIds,
          createdAt: clock.now(),
        });
        if (!user) {
          throw conflictingField('username', reason('user_exists', { username: request.username }));
        }
        if (!request.telegramUserId) return user;
        const person = { ...user, telegramUserId: request.telegramUserId };
        yield* requireFreePerson(users, person);
        yield* users.updateStep(person);
        return person;
      });
    },
    update: (caller, changes) =>
      engine.write(function* () {
        const before = yield* existing(caller, changes.id);
        const role = changes.role ?? before.role;
        const botIds = botsOfRole(role, changes.botIds ?? before.botIds);
        requireWithin(caller, botIds);
        if (changes.botIds) yield* requireBots(changes.botIds);
        const telegramUserId = changes.telegramUserId ?? before.telegramUserId;
        const disabled = changes.disabled ?? before.disabled;
        const user = { ...before, role, botIds, disabled, telegramUserId };
        yield* requireFreePerson(users, user);
        if (user.role !== 'admin' || user.disabled) yield* requireAnotherAdmin(before);
        yield* users.updateStep(user);
        if (user.disabled) yield* sessions.removeOfUserStep(user.id);
        return user;
      }),
    remove: (caller, id) =>
      engine.write(function* () {
        const user = yield* existing(caller, id);
        yield* requireAnotherAdmin(user);
        yield* users.deleteStep(id);
        return user;
      }),
    async setPassword(caller, request) {
      requireScope(caller, 'admin');
      return storePassword(caller, request);
    },
    async changeOwnPassword(caller, request) {
      const attempt = await deps.guard.begin(caller.address, caller.name);
      const known = await users.findByName(caller.name);
      if (!known || !(await passwords.verify(request.current, known.passwordHash))) {
        throw new RelayError('invalid_credentials', reason('current_password_wrong'));
      }
      await attempt.succeeded();
      return storePassword(caller, { ...request, id: known.id });
    },
  };
}

/** A person of Telegram is one user, so that it is clear whose answers are theirs. */
export function* requireFreePerson(
  users: Pick<Store['users'], 'ofPersonStep'>,
  { id, telegramUserId }: StoredUser,
): Step<void> {
  const same = telegramUserId === 0 ? undefined : yield* users.ofPersonStep(telegramUserId);
  if (!same || same.id === id) return;
  throw conflictingField('telegram_user_id', reason('person_is_user', { username: same.username }));
}
