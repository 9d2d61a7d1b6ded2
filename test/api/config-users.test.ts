import { describe, expect, it } from 'vitest';
import { dialects } from '../support/database/engines.ts';
import { configRig } from '../support/rigs/config-rig.ts';

const password = 'a long password';

describe.each(dialects)('users in the configuration on %s', (dialect) => {
  const rig = configRig(dialect);
  const { apply, tryApply } = rig;

  const stored = (username: string) => rig.app.store.users.findByName(username);

  it('have every role, and none that there is not', async () => {
    const roles = ['viewer', 'agent', 'manager', 'admin', 'user'];
    const users = roles.map((role) => ({ username: `${role}-${rig.first.id}`, password, role }));
    await apply({ users });
    for (const { username, role } of users) expect(await stored(username)).toMatchObject({ role });
    expect(await apply({ users })).toEqual([]);
    const wrong = await tryApply({ users: [{ username: 'x', password, role: 'boss' }] });
    expect(wrong.status).toBe(400);
  });

  it('stay as they are where the file has the other name of their role', async () => {
    const [old, young] = ['old', 'young'].map((name) => `${name}-${rig.first.id}`);
    await apply({
      users: [
        { username: old, password },
        { username: young, password, role: 'manager' },
      ],
    });
    const turned = [{ username: old, role: 'manager' }, { username: young }];
    expect(await apply({ users: turned })).toEqual([]);
    expect(await stored(String(old))).toMatchObject({ role: 'user' });
    expect(await stored(String(young))).toMatchObject({ role: 'manager' });
    expect(await apply({ users: [{ username: old, role: 'viewer' }] })).toEqual([
      `update user ${old} role`,
    ]);
  });

  it('keep their person in Telegram unless the file has another', async () => {
    const person = Number(rig.first.id) + 1_000_000;
    const [anna, ben] = ['anna', 'ben'].map((name) => `${name}-${rig.first.id}`);
    const users = [{ username: anna, password, telegram_user_id: person }];
    await apply({ users });
    expect(await stored(String(anna))).toMatchObject({ telegramUserId: person });
    expect(await apply({ users: [{ username: anna }] })).toEqual([]);
    const taken = [{ username: ben, password, telegram_user_id: person }];
    const refused = await tryApply({ users: taken });
    expect(refused).toMatchObject({ status: 409, body: { reason_code: 'person_is_user' } });
    expect(await stored(String(ben))).toBeUndefined();
    expect(await apply({ users: [{ username: anna, telegram_user_id: 0 }, ...taken] })).toEqual([
      `update user ${anna} telegram_user_id`,
      `add user ${ben}`,
    ]);
    const { config } = await rig.exported();
    const written = config.users?.find(({ username }) => username === ben);
    expect(written).toMatchObject({ telegram_user_id: person });
  });
});
