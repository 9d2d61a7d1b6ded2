import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dialects } from '../support/database/engines.ts';
import { serve } from '../support/local-server.ts';
import { type ManagedPeople, startManagedPeople } from '../support/rigs/managed-people.ts';
import { webhookKey, webhookSignature } from '../../src/core/delivery/webhook-signature.ts';

interface Channel {
  id: number;
  type: string;
  url: string;
  secret?: string;
  disabled: boolean;
  error: string;
  sent_at: string;
  delay_seconds: number;
}

interface Problem {
  code: string;
  details: { field: string }[];
}

describe.each(dialects)('alert channels on %s', (dialect) => {
  let rig: ManagedPeople;
  let botId: number;
  beforeAll(async () => {
    rig = await startManagedPeople(dialect);
    botId = (await rig.addBot()).id;
  });
  afterAll(() => rig.close());

  const call = <T = Channel>(action: string, body?: object) =>
    rig.admin.post<T>(`/api/alerts/channels/${action}`, body);
  const list = async () => (await rig.admin.get<Channel[]>('/api/alerts/channels')).body;
  const chat = () => ({ type: 'telegram', bot_id: botId, chat_id: -100 });

  it('are added, changed, disabled and deleted; a secret is shown once', async () => {
    const { body: added } = await call('add', { type: 'webhook', url: 'https://ops.example/a' });
    expect(added).toMatchObject({ type: 'webhook', delay_seconds: 120, disabled: false });
    expect(added.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const [listed] = await list();
    expect(listed).toMatchObject({ id: added.id, url: 'https://ops.example/a' });
    expect(listed).not.toHaveProperty('secret');
    // What was read may be sent back.
    const changed = await call('update', { ...listed, delay_seconds: 0 });
    expect(changed.body).toMatchObject({ delay_seconds: 0, url: 'https://ops.example/a' });
    expect((await call(`toggle-disabled?id=${added.id}`)).body.disabled).toBe(true);
    expect((await call(`delete?id=${added.id}`)).status).toBe(200);
    expect(await list()).toEqual([]);
    expect((await call(`delete?id=${added.id}`)).status).toBe(404);
    const row = await rig.store.engine.readRaw('select * from alert_channels', []);
    expect(row).toEqual([]);
  });

  it.each<[string, object, string]>([
    ['an unknown kind', { kinds: ['backend_gone'] }, 'kinds[0]'],
    ['an unknown severity', { min_severity: 'high' }, 'min_severity'],
    ['a negative delay', { delay_seconds: -1 }, 'delay_seconds'],
    ['no chat', { chat_id: undefined }, 'chat_id'],
    ['an address', { url: 'https://ops.example/a' }, 'url'],
    ['an unknown bot to watch', { bot_ids: [4_711] }, 'bot_ids'],
    [
      'a time of no clock',
      { quiet_hours: { start: '24:00', end: '07:00', timezone: 'UTC' } },
      'quiet_hours.start',
    ],
    [
      'a zone of no map',
      { quiet_hours: { start: '22:00', end: '07:00', timezone: 'Mars/Base' } },
      'quiet_hours.timezone',
    ],
    [
      'hours of no length',
      { quiet_hours: { start: '22:00', end: '22:00', timezone: 'UTC' } },
      'quiet_hours.end',
    ],
  ])('refuses %s', async (_, wrong, field) => {
    const { status, body } = await call<Problem>('add', { ...chat(), ...wrong });
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    expect(body.details[0]?.field).toBe(field);
  });

  it('refuses addresses that the relay must not call, and bots that there are not', async () => {
    for (const url of ['http://169.254.169.254/x', 'ftp://a.example', 'https://a:b@c.example/']) {
      const { status, body } = await call<Problem>('add', { type: 'webhook', url });
      expect([status, body.details[0]?.field]).toEqual([400, 'url']);
    }
    const unknown = await call<Problem>('add', { ...chat(), bot_id: 4_711 });
    expect([unknown.status, unknown.body.code]).toEqual([404, 'bot_not_found']);
    expect(await list()).toEqual([]);
  });

  it('are for keys of all bots', async () => {
    const limited = await rig.as('manage', [botId]);
    expect((await limited.get('/api/alerts/channels')).status).toBe(403);
    expect((await limited.post('/api/alerts/channels/add', chat())).status).toBe(403);
    expect((await limited.get('/api/alerts')).status).toBe(200);
  });

  it('are tested at once, and say what is wrong', async () => {
    const calls: { headers: Record<string, unknown>; body: string }[] = [];
    let status = 204;
    const hook = await serve(async (request, reply) => {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      calls.push({ headers: request.headers, body });
      reply.writeHead(status).end();
    });
    const { body: channel } = await call('add', { type: 'webhook', url: `${hook.url}/alerts` });
    const test = () => call<{ delivered: boolean; error: string }>(`test?id=${channel.id}`);
    expect((await test()).body).toMatchObject({ delivered: true, error: '' });
    const [first] = calls;
    const header = (name: string) => String(first?.headers[name]);
    const signed = webhookSignature(
      webhookKey(channel.secret ?? ''),
      header('webhook-id'),
      Number(header('webhook-timestamp')),
      first?.body ?? '',
    );
    expect(header('webhook-signature')).toBe(signed);
    expect(JSON.parse(first?.body ?? '')).toMatchObject({ type: 'alert.test' });
    status = 500;
    expect((await test()).body).toMatchObject({ delivered: false, error: 'answered 500' });
    expect((await list())[0]).toMatchObject({ error: 'answered 500', sent_at: '' });
    status = 200;
    await test();
    const [mended] = await list();
    expect(mended).toMatchObject({ error: '', failed_at: '' });
    expect(mended?.sent_at).not.toBe('');
    await hook.close();
    await call(`delete?id=${channel.id}`);
    // A bot that is in no such chat.
    const { body: refused } = await call('add', chat());
    const said = await call<{ delivered: boolean; error: string }>(`test?id=${refused.id}`);
    expect(said.body.delivered).toBe(false);
    expect(said.body.error).toContain('chat not found');
    await call(`delete?id=${refused.id}`);
  });
});
