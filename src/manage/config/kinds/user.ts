import { reason } from '../../../core/reasons/reason.ts';
import { invalidField, RelayError } from '../../../errors.ts';
import { byText } from '../changes.ts';
import type { Changed, ConfigKind, Prepared, Preparing, Writing } from '../config-kind.ts';
import { checkAdmin, verifyAdmin } from './admin.ts';

const leastPassword = 8;

export const userKind: ConfigKind<'user'> = {
  async read({ store, platformIdsOf }) {
    const records = (await store.users.list()).sort((a, b) => byText(a.username, b.username));
    const part = records.map(({ username, role, botIds, disabled }) => ({
      username,
      role,
      bots: platformIdsOf(botIds ?? []),
      disabled,
    }));
    return { part, records };
  },
  compare: (entry) => entry,
  prepare: prepareUser,
  remove: ({ users }, id) => users.deleteStep(id),
  bots: ({ fields }) => ({ bots: fields['bots'] as readonly number[] }),
  boundBy: [],
  changesBots: false,
  check: checkAdmin,
  verify: verifyAdmin,
};

async function prepareUser(
  { fields, given, name }: Changed<'user'>,
  { store, passwords, current }: Preparing,
): Promise<Prepared> {
  const before = current.stored.user.get(name);
  const { role, bots, disabled } = fields as Required<typeof given>;
  const botIdsOf = ({ botIds }: Writing) =>
    role === 'admin' ? null : bots.map((id) => botIds.get(id) as number);
  if (before) {
    return {
      *write(writing) {
        // Its password may have changed meanwhile.
        const stored = yield* store.users.getStep(before.id);
        if (!stored) throw new RelayError('conflict', reason('config_outrun'));
        yield* store.users.updateStep({ ...stored, role, botIds: botIdsOf(writing), disabled });
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
      if (disabled) yield* store.users.updateStep({ ...added, disabled });
    },
  };
}
