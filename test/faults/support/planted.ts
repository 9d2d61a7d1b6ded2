/*
 * Secrets of every kind inside a service, and the search for them in what it says to those who may not
 * see them.
 */
import { type HeldPlatform, idOf } from '../../invariants/support/held-platform.ts';
import { adminKey, type ServiceProcess } from '../../support/service-process.ts';

const tokens = ['7601:AAplantedTokenOfTheFirst', '7602:AAplantedTokenOfTheSecond'];
const secretToken = 'plantedSecretToken-0123456789';
const inUrl = ['plantedUserInUrl', 'plantedPasswordInUrl', 'plantedPathInUrl', 'plantedQueryInUrl'];
const password = 'plantedPassword-of-a-person';
const modelKey = 'plantedModelKey';
export const masterKey = 'plantedMasterKey, which is longer than 32 characters';

export interface Planted {
  tokens: string[];
  bots: { id: number; secret: string; hookSecret: string }[];
  readKey: string;
  sendKey: string;
  /** What the service says to addresses with a user and a password in them. */
  refusals: string[];
  /** Puts back what was deleted meanwhile. */
  restore(): Promise<void>;
  /** The secrets that appear in a text. */
  foundIn(text: string): string[];
  /** Those among them that nobody may see, not even an admin who exports the configuration. */
  sealedIn(text: string): string[];
}

export async function plant(
  service: ServiceProcess,
  platform: HeldPlatform,
  backend: string,
): Promise<Planted> {
  const sealed = new Set([password, adminKey, masterKey]);
  const found = new Set([
    ...tokens.map((token) => token.split(':')[1] as string),
    secretToken,
    ...inUrl,
    modelKey,
  ]);
  const [user, word, path, query] = inUrl;
  const host = new URL(backend).host;
  const backend_url = `http://${host}/${path}?key=${query}`;
  const withUser = `http://${user}:${word}@${host}/${path}`;
  const planted: Planted = {
    tokens: [...tokens],
    bots: [],
    readKey: '',
    sendKey: '',
    refusals: [],
    async restore() {
      const bots = await service.call<{ id: number; token: string }[]>('/api/bots');
      planted.bots = [];
      for (const [index, token] of tokens.entries()) {
        const known = bots.find((bot) => idOf(bot.token) === idOf(token));
        const settings = {
          token,
          name: `planted ${index}`,
          backend_url,
          secret_token: secretToken,
          proxy_enabled: true,
          long_poll_enabled: true,
          manage_enabled: true,
          webhook_mode: index === 1,
        };
        const { id } = known
          ? await service.call<{ id: number }>('/api/bots/update', { id: known.id, ...settings })
          : await service.call<{ id: number }>('/api/bots/add', settings);
        const hookSecret = platform.webhook(token)?.secret ?? '';
        if (hookSecret !== '') found.add(hookSecret);
        planted.bots.push({ id, secret: secretToken, hookSecret });
      }
      await service.call('/api/llm-config', {
        api_url: `http://127.0.0.1:9/${path}`,
        api_key: modelKey,
        model: 'm',
        enabled: true,
      });
      const keys = await Promise.all(
        ['read', 'send'].map((scope) =>
          service.call<{ key: string }>('/api/auth/api-keys', { name: `planted ${scope}`, scope }),
        ),
      );
      [planted.readKey, planted.sendKey] = keys.map(({ key }) => key) as [string, string];
      for (const { key } of keys) sealed.add(key);
    },
    foundIn: (text) => [...found, ...sealed].filter((secret) => text.includes(secret)),
    sealedIn: (text) => [...sealed].filter((secret) => text.includes(secret)),
  };
  await service.call('/api/auth/users/create', { username: 'planted', password });
  await planted.restore();
  const app = await service.call<{ token: string }>('/api/bots/apps/add', {
    bot_id: planted.bots[0]?.id,
    name: 'planted-app',
  });
  planted.tokens.push(app.token);
  found.add(app.token.split(':')[1] as string);
  const { id } = planted.bots[0] as { id: number };
  for (const [where, body] of [
    ['/api/bots/update', { id, backend_url: withUser }],
    ['/api/llm-config', { api_url: withUser }],
    ['/api/bots/apps/add', { bot_id: id, name: 'x', mode: 'webhook', backend_url: withUser }],
    [`/bot${tokens[0]}/setWebhook`, { url: withUser }],
  ] as const) {
    const answer = await service.request(where, { body });
    planted.refusals.push(`${answer.status} ${await answer.text()}`);
  }
  return planted;
}
