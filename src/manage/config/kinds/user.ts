import { botsOfRole } from '../../../core/access/rights.ts';
import type { EntryOf } from '../../../core/config-file/document.ts';
import { reason } from '../../../core/reasons/reason.ts';
import { invalidField, RelayError } from '../../../errors.ts';
import { requireFreePerson } from '../../access/users.ts';
import { byText } from '../changes.ts';
import type {
  Changed,
  ConfigKind,
  CurrentConfig,
  Prepared,
  Preparing,
  Writing,
} from '../config-kind.ts';
import { checkAdmin, verifyAdmin } from './admin.ts';

const leastPassword = 8;

export const userKind: ConfigKind<'user'> = {
  async read({ store, platformIdsOf }) {
    const records = (await store.users.list()).sort((a, b) => byText(a.username, b.username));
    const part = records.map(({ username, role, botIds, disabled, telegramUserId }) => ({
      username,
      role,
      bots: platformIdsOf(botIds ?? []),
      disabled,
      telegram_user_id: telegramUserId,
    }));
    return { part, records };
  },
  compare: withStoredName,
  prepare: prepareUser,
  remove: ({ users }, id) => users.deleteStep(id),
  bots: ({ fields }) => ({ bots: fields['bots'] as readonly number[] }),
  boundBy: [],
  changesBots: false,
  check: checkAdmin,
  verify: verifyAdmin,
};

/** `user` and `manager` are one role, so a file with the other name changes nothing. */
function withStoredName(entry: EntryOf<'user'>, { stored }: CurrentConfig): EntryOf<'user'> {
  const { role } = stored.user.get(entry.name) ?? {};
  const isManager = (one: unknown) => one === 'user' || one === 'manager';
  if (!isManager(role) || !isManager(entry.fields['role'])) return entry;
  return { ...entry, fields: { ...entry.fields, role } };
}

async function prepareUser(
  { fields, given, name }: Changed<'user'>,
  { store, passwords, current }: Preparing,
): Promise<Prepared> {
  const before = current.stored.user.get(name);
  const { role, bots, disabled } = fields as Required<typeof given>;
  const person = given.telegram_user_id;
  const botIdsOf = ({ botIds }: Writing) =>
    botsOfRole(
      role,
      bots.map((id) => botIds.get(id) as number),
    );
  if (before) {
    return {
      *write(writing) {
        // Its password may have changed meanwhile.
        const stored = yield* store.users.getStep(before.id);
        if (!stored) throw new RelayError('conflict', reason('config_outrun'));
        const botIds = botIdsOf(writing);
        const telegramUserId = person ?? stored.telegramUserId;
        const changed = { ...stored, role, botIds, disabled, telegramUserId };
        yield* requireFreePerson(store.users, changed);
        yield* store.users.updateStep(changed);
        if (disabled) yield* store.sessions.removeOfUserStep(before.id);
      },
    };
  }
  const { password } = given;
  if (password === undefined) throw invalidField('password', reason('needed_for_new_entry'));
  if (password.length < leastPassword) {
    throw invalidField('password', reason('too_short', { least: leastPassword }));
  }
  const passwordHash = await passwords.hash(password);
  return {
    *write(writing) {
      const { nowMs: createdAt } = writing;
      const user = { username: name, passwordHash, role, botIds: botIdsOf(writing), createdAt };
      const added = yield* store.users.insertStep(user);
      if (!added) throw new RelayError('conflict', reason('user_exists', { username: name }));
      if (!disabled && !person) return;
      const changed = { ...added, disabled, telegramUserId: person ?? 0 };
      yield* requireFreePerson(store.users, changed);
      yield* store.users.updateStep(changed);
    },
  };
}
