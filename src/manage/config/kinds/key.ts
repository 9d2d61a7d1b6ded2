import { chatLimits, fitsChatLimits } from '../../../core/access/chat-limits.ts';
import { isApiKey, keyHint } from '../../../core/access/keys.ts';
import { secretHash } from '../../../core/access/vault.ts';
import type { EntryOf } from '../../../core/config-file/document.ts';
import { isoTime } from '../../../core/iso-time.ts';
import { reason } from '../../../core/reasons/reason.ts';
import { invalidField } from '../../../errors.ts';
import type { StoredApiKey } from '../../../store/access/api-keys.ts';
import { byText, wrongEntry } from '../changes.ts';
import type { Changed, ConfigKind, CurrentConfig, Prepared, Preparing } from '../config-kind.ts';
import { checkAdmin, expiryOf, verifyAdmin } from './admin.ts';

export const keyKind: ConfigKind<'key'> = {
  async read({ store, platformIdsOf }) {
    const named = namedKeys(await store.apiKeys.list());
    const part = [...named].map(([name, key]) => ({
      name,
      scope: key.scope,
      ...(key.botIds === null ? {} : { bots: platformIdsOf(key.botIds) }),
      ...(key.readChats === null ? {} : { read_chats: key.readChats }),
      ...(key.writeChats === null ? {} : { write_chats: key.writeChats }),
      daily_writes: key.dailyWrites,
      expires_at: isoTime(key.expiresAt ?? 0),
      disabled: key.disabled,
    }));
    return { part, records: [...named.values()] };
  },
  compare: compareKey,
  prepare: prepareKey,
  remove: ({ apiKeys }, id) => apiKeys.deleteStep(id),
  bots: ({ fields }) => ({ bots: botsOf(fields) ?? [] }),
  boundBy: [],
  changesBots: false,
  check: checkAdmin,
  verify: verifyAdmin,
};

const botsOf = (fields: EntryOf<'key'>['fields']) => fields['bots'] as readonly number[] | null;

/** Keys may share a name: later ones get a number that no other name has. */
function namedKeys(list: readonly StoredApiKey[]): ReadonlyMap<string, StoredApiKey> {
  const keys = [...list].sort((a, b) => byText(a.name, b.name) || a.id - b.id);
  const taken = new Set(keys.map(({ name }) => name));
  const named = new Map<string, StoredApiKey>();
  for (const key of keys) {
    let { name } = key;
    for (let count = 2; named.has(name) || (name !== key.name && taken.has(name)); count++) {
      name = `${key.name} #${count}`;
    }
    named.set(name, key);
  }
  return named;
}

function compareKey(entry: EntryOf<'key'>, current: CurrentConfig): EntryOf<'key'> {
  const { key, expires_at: expiresAt = '' } = entry.given;
  const at = Date.parse(expiresAt);
  if (expiresAt !== '' && Number.isNaN(at)) {
    const example = '2030-01-31T12:00:00Z';
    throw wrongEntry(entry, 'expires_at', reason('not_a_moment', { example }));
  }
  const isOwn =
    key !== undefined && current.stored.key.get(entry.name)?.keyHash === secretHash(key);
  const expires_at = expiresAt === '' ? '' : new Date(at).toISOString();
  return { ...entry, fields: { ...entry.fields, expires_at, key: isOwn ? undefined : key } };
}

function prepareKey(
  { fields, given, name }: Changed<'key'>,
  { store, current, caller }: Preparing,
): Prepared {
  const keys = current.stored.key;
  const before = keys.get(name);
  const { key } = given;
  if (key !== undefined && !isApiKey(key)) throw invalidField('key', reason('not_an_api_key'));
  if (key === undefined && !before) throw invalidField('key', reason('needed_for_new_entry'));
  const secret = key === undefined ? {} : { keyHash: secretHash(key), hint: keyHint(key) };
  if ([...keys.values()].some((one) => one.keyHash === secret.keyHash && one.id !== before?.id)) {
    throw invalidField('key', reason('value_taken'));
  }
  const { scope, disabled, daily_writes: dailyWrites } = fields as Required<typeof given>;
  const readChats = fields['read_chats'] as number[] | null;
  const writeChats = fields['write_chats'] as number[] | null;
  if (!fitsChatLimits(scope, chatLimits(readChats, writeChats))) {
    throw invalidField('scope', reason('chat_limited_scope'));
  }
  const limits = { readChats, writeChats, dailyWrites };
  const bots = botsOf(fields);
  const expiresAt = expiryOf(given);
  return {
    *write({ botIds: known, nowMs: createdAt }) {
      const botIds = bots && bots.map((id) => known.get(id) as number);
      if (before) {
        const changed = { ...before, ...secret, ...limits, scope, botIds, expiresAt, disabled };
        yield* store.apiKeys.updateStep(changed);
        return;
      }
      const made = { name, scope, botIds, ...limits, expiresAt, createdBy: caller.name, createdAt };
      const { keyHash = '', hint = '' } = secret;
      const added = yield* store.apiKeys.insertStep({ ...made, keyHash, hint });
      if (disabled) yield* store.apiKeys.updateStep({ ...added, disabled });
    },
  };
}
