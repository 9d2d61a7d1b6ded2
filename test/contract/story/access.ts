import type { Teller } from './teller.ts';
import type { World } from './bots.ts';

const password = 'correct horse battery';

/** The first admin signs in. */
export async function setUp({ show, session }: Teller, token: string): Promise<void> {
  await show('GET /healthz');
  await show('GET /readyz');
  await show('GET /api/version');
  await show('POST /api/auth/setup/check', { body: { token } });
  await show('POST /api/auth/setup', { body: { token, username: 'olga', password } });
  await show('POST /api/auth/sign-in', { body: { username: 'olga', password } });
  await show('GET /api/auth/session', { headers: session() });
}

/** Keys and users; the changes are in the audit log. */
export async function manageAccess(teller: Teller, { bot_id }: World): Promise<void> {
  const { show, hidden, session } = teller;
  const key = await show<{ id: number }>('POST /api/auth/api-keys/create', {
    body: { name: 'Dashboard', scope: 'read', bot_ids: [bot_id] },
  });
  await show('POST /api/auth/api-keys', { body: { name: 'CI', scope: 'send', bot_ids: [bot_id] } });
  await show('GET /api/auth/api-keys');
  await show('POST /api/auth/api-keys/toggle', { query: { id: key.id } });
  await show('POST /api/auth/api-keys/delete', { query: { id: key.id } });
  const user = await show<{ id: number }>('POST /api/auth/users/create', {
    body: {
      username: 'pavel',
      password: 'a long enough password',
      role: 'user',
      bot_ids: [bot_id],
    },
  });
  await show('POST /api/auth/users/update', { body: { id: user.id, disabled: true } });
  await show('POST /api/auth/users/password', {
    body: { id: user.id, password: 'another long password' },
  });
  await show('GET /api/auth/users');
  await show('POST /api/auth/users/delete', { query: { id: user.id } });
  await show('GET /api/adminlog', { query: { bot_id, limit: 2 } });
  await show('GET /api/adminlog/export', { query: { bot_id, format: 'jsonl' } });
  const { csrf_token } = await hidden<{ csrf_token: string }>('GET /api/auth/session', {
    headers: session(),
  });
  await show('POST /api/auth/sign-out', {
    headers: { ...session(), 'x-csrf-token': csrf_token },
  });
}
