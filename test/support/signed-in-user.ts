import type { WholeService } from './whole-service.ts';

export interface SignedInUser {
  id: number;
  name: string;
  ask(path: string, body?: object): Promise<{ status: number; json: unknown }>;
}

/** Returns a function that adds a user of the web UI, who signs in; `more` has a role and bots. */
export function addUserTo({ call, service }: Pick<WholeService, 'call' | 'service'>) {
  return async (name: string, more: object = {}): Promise<SignedInUser> => {
    const account = { username: name, password: 'a long enough password' };
    const { id } = await call<{ id: number }>('/api/auth/users/create', { ...account, ...more });
    const signedIn = await fetch(`${service().address}/api/auth/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(account),
    });
    const { csrf_token } = (await signedIn.json()) as { csrf_token: string };
    const cookie = signedIn.headers.get('set-cookie') ?? '';
    return {
      id,
      name,
      async ask(path, body) {
        const reply = await fetch(service().address + path, {
          method: body ? 'POST' : 'GET',
          headers: {
            cookie,
            'x-csrf-token': csrf_token,
            ...(body ? { 'content-type': 'application/json' } : {}),
          },
          ...(body ? { body: JSON.stringify(body) } : {}),
        });
        return { status: reply.status, json: await reply.json() };
      },
    };
  };
}
