import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import type { ConfigDocument } from '../../../src/core/config-file/document.ts';
import type { AppliedConfig } from '../../../src/manage/config/apply-config.ts';
import type { ConfigService } from '../../../src/manage/config/config.ts';
import type { DialectName } from '../../../src/store/engine.ts';
import { type ApiUser, type DomainApp, startDomainApp } from './domain-app.ts';

export const key = `brs_${'k'.repeat(43)}`;
export const shop = {
  name: 'Shop',
  description: 'Answers\nquestions',
  backend_url: 'https://shop.example.com/hook',
  secret_token: 'shop_secret_of_the_shop',
  proxy_enabled: true,
  keep_pending: true,
  per_topic: true,
  urgent: ['/stop'],
  manage_enabled: true,
};
export const orders = {
  name: 'orders',
  mode: 'webhook' as const,
  backend_url: 'https://orders.example.com/hook',
  secret_token: 'orders_secret_of_orders',
  max_connections: 5,
  allowed_updates: ['message'],
  filter: { commands: ['/order'] },
  exclusive: true,
  keep_pending: true,
  per_topic: true,
  urgent: ['/stop', '/cancel'],
  format: 'markdown' as const,
  methods: ['sendMessage'],
};

const model = {
  api_url: 'https://model.example.com/v1',
  model: 'm',
  api_key: 'model-key',
  enabled: true,
};

/** One service for a file of tests, which knows the model; two bots that it does not know for each test. */
export function configRig(dialect: DialectName) {
  let app: DomainApp;
  let admin: ApiUser;
  let first: { token: string; id: number };
  let second: { token: string; id: number };

  beforeAll(async () => {
    app = await startDomainApp(dialect);
    admin = await app.user('admin');
    await apply({ model });
  });
  afterAll(() => app.close());
  beforeEach(() => {
    first = app.practiceBot();
    second = app.practiceBot();
  });

  const exported = async (user = admin, withSecrets = false) => {
    const { body, status } = await user.get<Awaited<ReturnType<ConfigService['export']>>>(
      `/api/config?with_secrets=${withSecrets}`,
    );
    expect(status).toBe(200);
    return body;
  };
  const tryApply = (config: object, options: object = {}, user = admin) =>
    user.post<AppliedConfig & { error: string; code: string }>('/api/config/apply', {
      config: { version: 1, ...config },
      ...options,
    });
  async function apply(config: object, options: object = {}, user = admin) {
    const { body, status } = await tryApply(config, options, user);
    expect(body).toMatchObject({ changes: expect.any(Array) as unknown });
    expect(status).toBe(200);
    return body.changes.map(({ change, kind, name, fields }) =>
      [change, kind, name, ...fields].join(' '),
    );
  }
  /** Everything there is. */
  const wanted = (): ConfigDocument => ({
    version: 1,
    bots: [
      { platform_id: first.id, token: first.token, ...shop, apps: [orders, { name: 'report' }] },
      { platform_id: second.id, token: second.token, name: 'Desk', disabled: true },
    ],
    routes: [
      {
        source: first.id,
        target: second.id,
        action: 'forward',
        condition_type: 'keyword',
        condition_value: 'refund',
      },
      { source: first.id, target: second.id, action: 'copy', priority: 3, enabled: false },
    ],
    model,
    users: [
      { username: `Anna-${first.id}`, password: 'a long password', bots: [second.id] },
      { username: `olga-${first.id}`, password: 'a long password', role: 'admin' },
    ],
    keys: [
      {
        name: `shop ${first.id}`,
        key: `${key}${first.id}`,
        scope: 'send',
        bots: [first.id],
        expires_at: '2099-01-01T00:00:00Z',
      },
    ],
  });

  return {
    get app() {
      return app;
    },
    get admin() {
      return admin;
    },
    get first() {
      return first;
    },
    get second() {
      return second;
    },
    exported,
    tryApply,
    apply,
    wanted,
  };
}
