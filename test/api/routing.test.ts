import { describe, expect, it, vi } from 'vitest';
import { eitherDialect } from '../support/database/engines.ts';
import { serviceForEachTest } from '../support/whole-service.ts';

describe.each(eitherDialect)('routing over the API on %s', (dialect) => {
  const { ask, call, addBot, addRoute, addPerson, say, seen } = serviceForEachTest(dialect);

  it('shows what would happen to a message, and does nothing', async () => {
    const front = await addBot();
    const back = await addBot();
    const refund = { condition_type: 'keyword', condition_value: 'refund' };
    const first = await addRoute(front, back, refund);
    const drop = await addRoute(front, back, { action: 'drop' });
    const behind = await addRoute(front, back);
    const simulate = (text: string) =>
      call<{ rules: object[] }>('/api/routes/simulate', { bot_id: front.id, text, user_id: 5 });

    expect(await simulate('a REFUND, please')).toMatchObject({
      outcome: 'routed',
      target_bot_id: back.id,
      rules: [
        { route_id: first.id, matched: true, acts: true, reason: 'it says “refund”' },
        { route_id: drop.id, matched: true, acts: true },
        { route_id: behind.id, matched: true, acts: false },
      ],
      model: null,
    });
    const stranger = `It will not arrive: this person has not started bot ${back.id}.`;
    expect(await simulate('a refund')).toMatchObject({
      warning: stranger,
      rules: [{ warning: stranger }, { warning: '' }, { warning: '' }],
    });
    const open = { bot_id: front.id, text: 'a refund' };
    expect(await call('/api/routes/simulate', open)).toMatchObject({
      warning: expect.stringContaining(`only if the person has started bot ${back.id}`),
    });
    const ann = await addPerson('Ann');
    await say(ann, back, '/start');
    await vi.waitFor(async () =>
      expect(await call('/api/routes/simulate', { ...open, user_id: ann.id })).toMatchObject({
        outcome: 'routed',
        warning: '',
      }),
    );
    expect(await simulate('hello')).toMatchObject({ outcome: 'dropped', target_bot_id: 0 });
    expect(await call(`/api/routes/decisions?bot_id=${front.id}`)).toEqual([]);
    expect((await ask('/api/routes/simulate', { bot_id: 999, text: 'x' })).status).toBe(404);
  });

  it('lets the offline ranking choose where no rule matches', async () => {
    const front = await addBot();
    const billing = await addBot({ name: 'Billing', description: 'Invoices and refunds' });
    await addBot({ name: 'Support', description: 'Errors and crashes' });
    await call('/api/bots/update', { id: front.id, llm_routing_enabled: true });
    const message = { bot_id: front.id, text: 'where is my invoice?' };
    expect(await call('/api/routes/simulate', message)).toMatchObject({
      outcome: 'routed',
      target_bot_id: billing.id,
      model: { by: 'offline', model: 'bm25' },
    });
  });

  it('simulates a drop by meaning, and compares nothing without text', async () => {
    const front = await addBot();
    const billing = await addBot({ name: 'Billing', description: 'Invoices and refunds' });
    await call('/api/bots/update', { id: front.id, llm_routing_enabled: true });
    await addRoute(front, billing, { condition_type: 'llm', action: 'drop' });
    const simulate = (text: string) =>
      call('/api/routes/simulate', { bot_id: front.id, text, user_id: 5 });
    const nowhere = { target_bot_id: 0, warning: '' };
    expect(await simulate('where is my invoice?')).toMatchObject({
      outcome: 'dropped',
      ...nowhere,
    });
    expect(await simulate('')).toMatchObject({ outcome: 'none', ...nowhere, model: null });
  });

  it('simulates every route, also those by meaning and disabled ones', async () => {
    const front = await addBot();
    const billing = await addBot({ name: 'Billing', description: 'An invoice or a refund' });
    const support = await addBot({ name: 'Support', description: 'Errors and crashes' });
    const old = await addBot({ name: 'Old', description: 'Telegrams' });
    await call(`/api/bots/toggle-disabled?id=${old.id}`, {});
    await call('/api/bots/update', { id: front.id, llm_routing_enabled: true });
    const byMeaning = { condition_type: 'llm' };
    const money = await addRoute(front, billing, byMeaning);
    const crashes = await addRoute(front, support, byMeaning);
    const telegrams = await addRoute(front, old, byMeaning);
    const elsewhere = await addRoute(front, billing, { ...byMeaning, source_chat_id: 7 });
    const off = await addRoute(front, support, { enabled: false });
    const refund = { condition_type: 'keyword', condition_value: 'refund' };
    const rule = await addRoute(front, billing, refund);
    const simulate = (text: string, key?: string) =>
      ask('/api/routes/simulate', { bot_id: front.id, text, user_id: 5 }, key ? { key } : {});
    const idle = { matched: false, acts: false, warning: '' };
    const stranger = `It will not arrive: this person has not started bot ${billing.id}.`;

    expect((await simulate('my invoice is wrong')).json).toMatchObject({
      outcome: 'routed',
      target_bot_id: billing.id,
      reason: 'Its description matches best: invoice.',
      warning: stranger,
      rules: [
        {
          route_id: money.id,
          matched: true,
          acts: true,
          reason: 'chosen by meaning',
          warning: stranger,
        },
        { route_id: crashes.id, ...idle, reason: 'not chosen by meaning' },
        { route_id: telegrams.id, ...idle, reason: 'Its target bot is disabled.' },
        { route_id: elsewhere.id, ...idle, reason: 'does not match' },
        { route_id: off.id, ...idle, reason: 'disabled' },
        { route_id: rule.id, ...idle, reason: 'does not match' },
      ],
    });
    const skipped = { ...idle, reason: 'skipped: another route matches' };
    expect((await simulate('a refund')).json).toMatchObject({
      rules: [skipped, skipped, skipped, { reason: 'does not match' }, idle, { acts: true }],
    });

    const limit = { name: 'front', scope: 'read', bot_ids: [front.id] };
    const { key } = await call<{ key: string }>('/api/auth/api-keys', limit);
    expect((await simulate('my invoice is wrong', key)).json).toMatchObject({
      target_bot_id: 0,
      warning: '',
      rules: [
        { route_id: money.id, acts: true, reason: 'chosen by meaning', warning: '' },
        { route_id: crashes.id, reason: 'not chosen by meaning' },
        { route_id: telegrams.id, reason: 'not chosen by meaning' },
        idle,
        idle,
        idle,
      ],
    });

    await call('/api/bots/update', { id: front.id, llm_routing_enabled: false });
    expect((await simulate('my invoice is wrong')).json).toMatchObject({
      outcome: 'none',
      rules: [
        { reason: 'Route by meaning is off for its source bot.' },
        idle,
        idle,
        idle,
        idle,
        idle,
      ],
    });
  });

  it('tells a limited key nothing of other bots but the ids in its own routes', async () => {
    const front = await addBot();
    const billing = await addBot({ name: 'Billing', description: 'Invoices and refunds' });
    const support = await addBot({ name: 'Support', description: 'Errors and crashes' });
    await call('/api/bots/update', { id: front.id, llm_routing_enabled: true });
    const limit = { name: 'front', scope: 'read', bot_ids: [front.id, support.id] };
    const { key } = await call<{ key: string }>('/api/auth/api-keys', limit);
    const simulate = async (text: string) =>
      (await ask('/api/routes/simulate', { bot_id: front.id, text, user_id: 5 }, { key })).json;
    const hidden = await simulate('where is my invoice?');
    expect(hidden).toMatchObject({
      outcome: 'routed',
      target_bot_id: 0,
      reason: 'The chosen bot is hidden from this key.',
      warning: '',
      model: { candidates: [support.id], target_bot_id: 0 },
    });
    expect(JSON.stringify(hidden)).not.toMatch(/invoice|refund/i);
    expect(await simulate('it crashes')).toMatchObject({
      target_bot_id: support.id,
      warning: expect.stringContaining(`has not started bot ${support.id}`),
      model: { candidates: [support.id], target_bot_id: support.id },
    });

    const ann = await addPerson('Ann');
    await say(ann, billing, '/start');
    await say(ann, front, 'where is my invoice?');
    const decisions = async (as?: { key: string }) =>
      (await ask(`/api/routes/decisions?bot_id=${front.id}`, undefined, as)).json as object[];
    await vi.waitFor(
      async () =>
        expect(await decisions()).toMatchObject([
          { outcome: 'routed', matched: [{ target_bot_id: billing.id }] },
        ]),
      { interval: 50 },
    );
    const shown = await decisions({ key });
    expect(shown).toMatchObject([
      {
        outcome: 'routed',
        reason: 'The chosen bot is hidden from this key.',
        matched: [{ route_id: 0, target_bot_id: 0, target_chat_id: 0 }],
        model: { candidates: [support.id], target_bot_id: 0 },
      },
    ]);
    // The key may read what Ann wrote to its bot, not what the routes of others look for.
    const factsIn = (list: readonly object[]) =>
      JSON.stringify(list.map((one) => ({ ...one, text: '' })));
    expect(factsIn(shown)).not.toMatch(/invoice|refund/i);

    const byMeaning = await addRoute(front, billing, { condition_type: 'llm' });
    const other = await addRoute(front, support, { condition_type: 'llm' });
    await say(ann, front, 'Invoices and refunds, please');
    const latest = async (as?: { key: string }) => (await decisions(as))[0];
    await vi.waitFor(
      async () =>
        expect(await latest()).toMatchObject({
          matched: [{ route_id: byMeaning.id, reason: expect.stringContaining('invoices') }],
        }),
      { interval: 50 },
    );
    expect(await latest({ key })).toMatchObject({
      matched: [{ route_id: byMeaning.id, target_bot_id: billing.id }],
    });
    expect(factsIn(await decisions({ key }))).not.toMatch(/invoice|refund/i);
    for (const { id } of [byMeaning, other]) await call(`/api/routes/delete?id=${id}`, {});

    const { id: route_id } = await addRoute(front, billing);
    expect(await simulate('hello')).toMatchObject({
      target_bot_id: billing.id,
      warning: '',
      rules: [{ route_id, target_bot_id: billing.id, warning: '' }],
    });
  });

  it('keeps why a message was routed, and counts it in the picture', async () => {
    const front = await addBot();
    const back = await addBot();
    const ann = await addPerson('Ann');
    await say(ann, back, '/start');
    const route = await addRoute(front, back);
    await say(ann, front, 'hi');
    await vi.waitFor(
      async () =>
        expect(await call(`/api/routes/decisions?bot_id=${front.id}`)).toMatchObject([
          {
            outcome: 'routed',
            person: 'Ann',
            text: 'hi',
            asked: String(route.id),
            matched: [
              {
                route_id: route.id,
                reason: 'every message',
                result: 'queued',
                sends: [{ state: 'sent', method: 'sendMessage' }],
              },
            ],
          },
        ]),
      { interval: 50 },
    );
    const found = (q: string) =>
      call<object[]>(`/api/routes/decisions?bot_id=${front.id}&q=${encodeURIComponent(q)}`);
    expect(await found('HI ann')).toHaveLength(1);
    expect(await found(String(ann.id))).toHaveLength(1);
    expect(await found('hi bob')).toEqual([]);
    await addRoute(back, front);
    expect(await call('/api/routes/graph')).toMatchObject({
      bots: [{ id: front.id }, { id: back.id }],
      routes: [{ id: route.id, messages_last_day: 1 }, { messages_last_day: 0 }],
      problems: [{ kind: 'loop', bot_ids: [front.id, back.id] }],
    });
  });

  it('counts for a route only what arrived, and what it dropped', async () => {
    const front = await addBot();
    const back = await addBot();
    const ann = await addPerson('Ann');
    const keyword = (condition_value: string) => ({ condition_type: 'keyword', condition_value });
    const drop = await addRoute(front, back, { ...keyword('spam'), action: 'drop' });
    const route = await addRoute(front, back);
    const counts = async () => {
      const { routes } = await call<{ routes: { id: number; messages_last_day: number }[] }>(
        '/api/routes/graph',
      );
      return [drop.id, route.id].map(
        (id) => routes.find((one) => one.id === id)?.messages_last_day,
      );
    };
    const ends = (states: string[]) =>
      vi.waitFor(
        async () => {
          const sends = await call<{ state: string }[]>(`/api/outbox?bot_id=${back.id}`);
          expect(sends.map(({ state }) => state).toSorted()).toEqual(states);
        },
        { interval: 50 },
      );
    // Ann has not started the target bot, so it may not write to her.
    await say(ann, front, 'one');
    await ends(['failed']);
    expect(await counts()).toEqual([0, 0]);
    await say(ann, back, '/start');
    await say(ann, front, 'two');
    await ends(['failed', 'sent']);
    expect(await counts()).toEqual([0, 1]);
    // An answer goes back over the route, and is not one more message of it.
    const [, copy] = await seen<{ message_id: number }>(ann, back.platformId);
    await call('/api/sandbox/say', {
      user: ann.id,
      chat: back.platformId,
      text: 'three',
      reply_to: copy?.message_id,
    });
    await vi.waitFor(
      async () =>
        expect(await call(`/api/outbox?bot_id=${front.id}`)).toMatchObject([{ state: 'sent' }]),
      { interval: 50 },
    );
    await say(ann, front, 'spam');
    await vi.waitFor(async () => expect(await counts()).toEqual([1, 1]), {
      interval: 50,
    });
  });

  it('counts a forwarded message once when its header is a message of its own', async () => {
    const front = await addBot();
    const back = await addBot();
    const ann = await addPerson('Ann');
    const route = await addRoute(front, back, { action: 'forward' });
    await say(ann, back, '/start');
    // Leaves no room for the header.
    await say(ann, front, 'x'.repeat(4_096));
    await vi.waitFor(
      async () =>
        expect(await call(`/api/outbox?bot_id=${back.id}`)).toMatchObject([
          { state: 'sent' },
          { state: 'sent' },
        ]),
      { interval: 50 },
    );
    expect(await call('/api/routes/graph')).toMatchObject({
      routes: [{ id: route.id, messages_last_day: 1 }],
    });
  });

  it("keeps the model's settings and never tells its key", async () => {
    const before = await call<object>('/api/llm-config');
    expect(before).toMatchObject({ enabled: false, api_key_set: false, usage: { calls: 0 } });
    expect((await ask('/api/llm-config', { enabled: true })).status).toBe(400);
    const settings = { api_url: 'http://127.0.0.1:1/v1', model: 'tiny', enabled: true };
    const after = await call('/api/llm-config', { ...settings, api_key: 'sk-secret' });
    expect(after).toMatchObject({ ...settings, api_key_set: true });
    expect(JSON.stringify(after)).not.toContain('sk-secret');
    const moved = { api_url: 'http://127.0.0.1:1/v2' };
    expect(await call('/api/llm-config', moved)).toMatchObject({ ...moved, api_key_set: true });
    // A user who may change the address must not get the key that way, nor in two steps.
    for (const api_url of ['http://127.0.0.2:1/v1', '', 'http://127.0.0.2:1/v1']) {
      const answer = await ask('/api/llm-config', { api_url, enabled: false });
      const refused = { status: 400, json: { details: [{ field: 'api_key' }] } };
      expect(answer).toMatchObject(api_url === '' ? { status: 200 } : refused);
    }
    expect(await call('/api/llm-config', { ...settings, api_key: 'sk-other' })).toMatchObject({
      ...settings,
      api_key_set: true,
    });
    expect(await call('/api/llm-config', { ...before, api_key: '' })).toMatchObject({
      enabled: false,
      api_key_set: false,
    });
  });

  it('refuses an address or a key of the model that could not be used', async () => {
    const settings = { api_url: 'http://127.0.0.1:1/v1', model: 'tiny', enabled: true };
    for (const [field, value] of [
      ['api_url', 'http://['],
      ['api_url', 'file:///etc/passwd'],
      ['api_url', 'http://169.254.169.254/v1'],
      ['api_url', 'http://[::ffff:a9fe:a9fe]/v1'],
      ['api_url', 'http://user:password@127.0.0.1:1/v1'],
      ['api_key', 'sk-with-a-line-end\n'],
      ['api_key', 'sk-ключ'],
    ] as const) {
      const answer = await ask('/api/llm-config', { ...settings, [field]: value });
      expect(answer, value).toMatchObject({
        status: 400,
        json: { code: 'invalid_request', details: [{ field }] },
      });
    }
    expect(await call('/api/llm-config')).toMatchObject({ enabled: false, api_url: '' });
  });

  it("keeps the model's settings, which hold for all bots, from keys limited to some", async () => {
    const { id } = await addBot();
    const limited = { name: 'limited', scope: 'admin', bot_ids: [id] };
    const { key } = await call<{ key: string }>('/api/auth/api-keys', limited);
    const refused = { status: 403, json: { code: 'bot_not_allowed' } };
    const elsewhere = { api_url: 'http://127.0.0.1:1/v1', model: 'tiny', enabled: true };
    expect(await ask('/api/llm-config', elsewhere, { key })).toMatchObject(refused);
    expect(await ask('/api/llm-config', undefined, { key })).toMatchObject(refused);
    expect(await call('/api/llm-config')).toMatchObject({ enabled: false, api_url: '' });
  });
});
