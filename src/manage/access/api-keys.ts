import { reason } from '../../core/reasons/reason.ts';
import type { Clock } from '../../clock.ts';
import { type Caller, type Scope, requireBot, requireScope } from '../../core/access/access.ts';
import { chatLimits, fitsChatLimits } from '../../core/access/chat-limits.ts';
import {
  isApiKey,
  keyHint,
  newApiKey,
  type RandomBytes,
  sameSecret,
} from '../../core/access/keys.ts';
import { secretHash } from '../../core/access/vault.ts';
import { invalidField, RelayError } from '../../errors.ts';
import type { StoredApiKey } from '../../store/access/api-keys.ts';
import type { Step } from '../../store/engine.ts';
import type { Store } from '../../store/store.ts';

export interface NewKeyRequest {
  name: string;
  scope?: Scope;
  botIds?: readonly number[] | null;
  readChats?: readonly number[] | null;
  writeChats?: readonly number[] | null;
  /** 0 for any number. */
  dailyWrites?: number;
  /** Milliseconds since the epoch. */
  expiresAt?: number | null;
}

export interface ApiKeys {
  /**
   * Returns the caller behind a key. The key is looked up each time, so that a revocation applies
   * at once on every node.
   */
  authenticate(key: string, address: string): Promise<Caller | undefined>;
  /** Counts a change of the caller; throws 429 if it may make no more today. Returns how to take it back. */
  countWrite(caller: Caller): Promise<() => Promise<void>>;
  list(caller: Caller): Promise<StoredApiKey[]>;
  /** The changes that the key made today. */
  writesToday(key: StoredApiKey): number;
  create(caller: Caller, request: NewKeyRequest): Promise<{ record: StoredApiKey; key: string }>;
  toggle(caller: Caller, id: number): Promise<StoredApiKey>;
  remove(caller: Caller, id: number): Promise<StoredApiKey>;
}

// The last use is shown to people; a minute is exact enough and keeps writes off the request path.
const lastUsePrecisionMs = 60_000;
const dayMs = 86_400_000;
const dayOf = (atMs: number) => Math.floor(atMs / dayMs);

export function createApiKeys(deps: {
  store: Pick<Store, 'engine' | 'apiKeys' | 'users'>;
  clock: Clock;
  random?: RandomBytes;
}): ApiKeys {
  const { clock } = deps;
  const { engine, apiKeys, users } = deps.store;
  const beingTouched = new Set<number>();

  function recordUse(key: StoredApiKey, now: number): void {
    if (now - (key.lastUsedAt ?? 0) < lastUsePrecisionMs || beingTouched.has(key.id)) return;
    beingTouched.add(key.id);
    apiKeys
      .touch(key.id, now)
      // A failure to store the last use must not fail the request.
      .catch(() => {})
      .finally(() => beingTouched.delete(key.id));
  }

  /** Returns the key if this caller may change it: never one that may do more than the caller itself. */
  function* keyWithinScope(caller: Caller, id: number): Step<StoredApiKey> {
    const key = yield* apiKeys.getStep(id);
    if (!key) throw new RelayError('key_not_found', reason('no_such_key', { key_id: id }));
    requireWithin(caller, key.botIds);
    return key;
  }

  /** A key may not lock everyone out: another key must remain that can create keys over HTTP. */
  function* requireAnotherAdmin(caller: Caller, key: StoredApiKey): Step<void> {
    if (caller.kind !== 'key' || caller.id !== key.id || !isAdmin(key)) return;
    const keys = yield* apiKeys.listStep();
    if (keys.some((other) => other.id !== key.id && isAdmin(other))) return;
    const people = yield* users.listStep();
    if (people.some(({ role, disabled }) => role === 'admin' && !disabled)) return;
    throw new RelayError('conflict', reason('only_admin_key', { key_id: key.id }));
  }

  function isAdmin({ scope, botIds, disabled, expiresAt }: StoredApiKey): boolean {
    const expired = expiresAt !== null && expiresAt <= clock.now();
    return scope === 'admin' && botIds === null && !disabled && !expired;
  }

  return {
    async authenticate(key, address) {
      if (!isApiKey(key)) return undefined;
      const keyHash = secretHash(key);
      const found = await apiKeys.findByHash(keyHash);
      if (!found || !sameSecret(found.keyHash, keyHash)) return undefined;
      const now = clock.now();
      if (found.disabled || (found.expiresAt !== null && found.expiresAt <= now)) return undefined;
      recordUse(found, now);
      const chats = chatLimits(found.readChats, found.writeChats);
      return {
        kind: 'key',
        id: found.id,
        name: found.name,
        scope: found.scope,
        botIds: found.botIds,
        ...(chats ? { chats } : {}),
        ...(found.dailyWrites > 0 ? { dailyWrites: found.dailyWrites } : {}),
        address,
      };
    },
    async countWrite({ id, dailyWrites }) {
      if (dailyWrites === undefined) return async () => {};
      const now = clock.now();
      const day = dayOf(now);
      if (await apiKeys.countWrite(id, day, dailyWrites)) {
        return () => apiKeys.uncountWrite(id, day);
      }
      throw new RelayError(
        'rate_limited',
        reason('daily_writes_used', { daily_writes: dailyWrites }),
        {
          retryAfterSeconds: Math.ceil((dayMs - (now % dayMs)) / 1_000),
        },
      );
    },
    writesToday: ({ writes }) => (writes.day === dayOf(clock.now()) ? writes.count : 0),
    async list(caller) {
      const keys = await apiKeys.list();
      return keys.filter((key) => coversBots(caller, key.botIds));
    },
    async create(caller, request) {
      const scope = request.scope ?? 'read';
      requireScope(caller, scope);
      const { readChats = null, writeChats = null, dailyWrites = 0 } = request;
      if (!fitsChatLimits(scope, chatLimits(readChats, writeChats))) {
        throw invalidField('scope', reason('chat_limited_scope'));
      }
      // A limited caller that names no bots passes on its own list, never more.
      const botIds = request.botIds ?? caller.botIds;
      for (const botId of botIds ?? []) requireBot(caller, botId);
      const now = clock.now();
      const expiresAt = request.expiresAt ?? null;
      if (expiresAt !== null && expiresAt <= now) {
        throw new RelayError('invalid_request', reason('expiry_past'), {
          details: [{ field: 'expires_at', problem: reason('not_in_the_future') }],
        });
      }
      const key = newApiKey(deps.random);
      const record = await engine.write(function* () {
        const [missing] = yield* apiKeys.missingBotsStep(botIds ?? []);
        if (missing !== undefined) {
          throw new RelayError('bot_not_found', reason('unknown_bot', { bot_id: missing }));
        }
        return yield* apiKeys.insertStep({
          name: request.name,
          keyHash: secretHash(key),
          hint: keyHint(key),
          scope,
          botIds: botIds === null ? null : [...botIds],
          readChats: readChats && [...readChats],
          writeChats: writeChats && [...writeChats],
          dailyWrites,
          expiresAt,
          createdBy: caller.name,
          createdAt: now,
        });
      });
      return { record, key };
    },
    toggle: (caller, id) =>
      engine.write(function* () {
        const key = yield* keyWithinScope(caller, id);
        yield* requireAnotherAdmin(caller, key);
        yield* apiKeys.setDisabledStep(id, !key.disabled);
        return { ...key, disabled: !key.disabled };
      }),
    remove: (caller, id) =>
      engine.write(function* () {
        const key = yield* keyWithinScope(caller, id);
        yield* requireAnotherAdmin(caller, key);
        yield* apiKeys.deleteStep(id);
        return key;
      }),
  };
}

/** A limited caller does not cover an empty list: a key without bots may later get any of them. */
export function coversBots(caller: Caller, botIds: readonly number[] | null): boolean {
  if (caller.botIds === null) return true;
  if (botIds === null || botIds.length === 0) return false;
  return botIds.every((id) => caller.botIds?.includes(id));
}

export function requireWithin(caller: Caller, botIds: readonly number[] | null): void {
  if (coversBots(caller, botIds)) return;
  throw new RelayError('bot_not_allowed', reason('beyond_bots_of_key'));
}
