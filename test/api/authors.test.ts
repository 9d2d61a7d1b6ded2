import { describe, expect, it, vi } from 'vitest';
import { eitherDialect } from '../support/database/engines.ts';
import { serve } from '../support/local-server.ts';
import { type PracticeBot, serviceForAllTests } from '../support/whole-service.ts';

interface Shown {
  id: number;
  text: string;
  author?: { kind: string; id: number; name: string; person?: { id: number; name: string } };
}

describe.each(eitherDialect)('the author of a message on %s', (dialect) => {
  const { service, ask, call, addBot, addPerson, addRoute, say, seen } =
    serviceForAllTests(dialect);

  /** Waits until the chat has the message, and returns its author. */
  const authorOf = (bot: PracticeBot, chat: { id: number }, text: string) =>
    vi.waitFor(
      async () => {
        const path = `/api/messages?bot_id=${bot.id}&chat_id=${chat.id}`;
        const found = (await call<Shown[]>(path)).find((message) => message.text === text);
        expect(found, text).toBeDefined();
        return found?.author;
      },
      { interval: 20 },
    );

  it('is the key or the user who called the API, in every list and in the outbox', async () => {
    const bot = await addBot({ manage_enabled: true });
    const ann = await addPerson('Ann');
    await say(ann, bot, 'Hello?');
    expect(await authorOf(bot, ann, 'Hello?')).toBeUndefined();
    const to = { bot_id: bot.id, chat_id: ann.id };
    const local = { kind: 'key', id: 0, name: 'command line' };
    const sent = await call<Shown>('/api/messages/send', { ...to, text: 'From the shell' });
    expect(sent.author).toEqual(local);

    const { key, id } = await call<{ key: string; id: number }>('/api/auth/api-keys', {
      name: 'shop',
      scope: 'send',
    });
    await ask('/api/messages/send', { ...to, text: 'From the shop' }, { key });
    const shop = { kind: 'key', id, name: 'shop' };
    expect(await authorOf(bot, ann, 'From the shop')).toEqual(shop);

    const account = { username: 'olga', password: 'a long enough password' };
    const user = await call<{ id: number }>('/api/auth/users/create', {
      ...account,
      role: 'admin',
    });
    const signedIn = await fetch(`${service().address}/api/auth/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(account),
    });
    const { csrf_token } = (await signedIn.json()) as { csrf_token: string };
    const reply = await fetch(`${service().address}/api/messages/send`, {
      method: 'POST',
      headers: {
        cookie: signedIn.headers.get('set-cookie') ?? '',
        'content-type': 'application/json',
        'x-csrf-token': csrf_token,
      },
      body: JSON.stringify({ ...to, text: 'From the page' }),
    });
    expect(reply.status).toBe(200);
    const olga = { kind: 'user', id: user.id, name: 'olga' };
    const { id: message_id } = (await reply.json()) as Shown;

    // An edit by somebody else leaves the author as it is.
    await call(`/api/messages/edit?bot_id=${bot.id}&chat_id=${ann.id}&message_id=${message_id}`, {
      text: 'From the page, edited',
    });
    expect(await authorOf(bot, ann, 'From the page, edited')).toEqual(olga);
    const query = `bot_id=${bot.id}&chat_id=${ann.id}`;
    const context = await call<Shown[]>(`/api/messages/context?${query}&id=${message_id}`);
    expect(context.find((message) => message.id === message_id)?.author).toEqual(olga);
    const found = await vi.waitFor(
      async () => {
        const path = `/api/messages/search?bot_id=${bot.id}&q=edited`;
        const { messages } = await call<{ messages: Shown[] }>(path);
        expect(messages).toHaveLength(1);
        return messages[0];
      },
      { interval: 20 },
    );
    expect(found?.author).toEqual(olga);
    const outbox = await call<Shown[]>(`/api/outbox?bot_id=${bot.id}`);
    expect(outbox.map(({ author }) => author)).toEqual([local, olga, shop, local]);

    const exported = async (format: string) => {
      const answer = await fetch(
        `${service().address}/api/messages/export?${query}&format=${format}`,
        { headers: { authorization: `Bearer ${service().localKey}` } },
      );
      return (await answer.text()).trim().split(/\r?\n/);
    };
    const lines = (await exported('jsonl')).map((line) => (JSON.parse(line) as Shown).author);
    expect(lines).toEqual([undefined, local, shop, olga]);
    const [head, ...rows] = await exported('csv');
    expect(head).toMatch(/,author_kind,author_id,author_name,author_person,message_thread_id$/);
    expect(rows.map((row) => row.split(',').slice(-5, -1).join())).toEqual([
      ',,,',
      'key,0,command line,',
      `key,${id},shop,`,
      `user,${user.id},olga,`,
    ]);
  });

  it('is the app or the backend that made the call', async () => {
    const backend = await serve(async (request, reply) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const { message } = JSON.parse(Buffer.concat(chunks).toString()) as {
        message: { chat: { id: number }; text: string };
      };
      const answer = { method: 'sendMessage', chat_id: message.chat.id };
      const text = `${request.url} heard ${message.text}`;
      reply.setHeader('content-type', 'application/json').end(JSON.stringify({ ...answer, text }));
    });
    try {
      const bot = await addBot({
        proxy_enabled: true,
        backend_url: `${backend.url}/bot`,
        secret_token: 'the_secret',
      });
      const app = await call<{ id: number; token: string }>('/api/bots/apps/add', {
        bot_id: bot.id,
        name: 'crm',
        mode: 'webhook',
        backend_url: `${backend.url}/crm`,
      });
      const ann = await addPerson('Ann');
      await say(ann, bot, 'hello');
      const crm = { id: app.id, name: 'crm' };
      const own = { id: 0, name: 'default' };
      expect(await authorOf(bot, ann, '/bot heard hello')).toEqual({ kind: 'backend', ...own });
      expect(await authorOf(bot, ann, '/crm heard hello')).toEqual({ kind: 'backend', ...crm });

      const gateway = (token: string, text: string) =>
        call(`/bot${token}/sendMessage`, { chat_id: ann.id, text });
      await gateway(bot.token, 'through the gateway');
      expect(await authorOf(bot, ann, 'through the gateway')).toEqual({ kind: 'app', ...own });
      await gateway(app.token, 'as an app');
      expect(await authorOf(bot, ann, 'as an app')).toEqual({ kind: 'app', ...crm });
      const hook = { method: 'sendMessage', chat_id: ann.id, text: 'by the hook' };
      await ask(`/hooks/backend/${bot.id}`, hook, {
        headers: { 'x-telegram-bot-api-secret-token': 'the_secret' },
      });
      expect(await authorOf(bot, ann, 'by the hook')).toEqual({ kind: 'backend', ...own });
    } finally {
      await backend.close();
    }
  });

  it('is the route, with the person whose message it carried', async () => {
    const [shop, staff] = [await addBot(), await addBot()];
    const [ann, sam] = [await addPerson('Ann'), await addPerson('Sam')];
    await say(sam, staff, '/start');
    const route = await addRoute(shop, staff, {
      target_chat_id: sam.id,
      action: 'forward',
      description: 'Questions',
    });
    await say(ann, shop, 'Where is my order?');
    const by = (person: { id: number }, name: string) => ({
      kind: 'route',
      id: route.id,
      name: 'Questions',
      person: { id: person.id, name },
    });
    const carried = 'Ann:\nWhere is my order?';
    expect(await authorOf(staff, sam, carried)).toEqual(by(ann, 'Ann'));
    const inChat = await seen<{ message_id: number; text?: string }>(sam, staff.platformId);
    const reply_to = inChat.find(({ text }) => text === carried)?.message_id;
    const answer = { user: sam.id, chat: staff.platformId, text: 'On its way', reply_to };
    await call('/api/sandbox/say', answer);
    expect(await authorOf(shop, ann, 'On its way')).toEqual(by(sam, 'Sam'));
  });

  it('is who scheduled it, the broadcast, the question, and the desk with its person', async () => {
    const shop = await addBot({ manage_enabled: true });
    const [ann, lead] = [await addPerson('Ann'), await addPerson('Lead')];
    await say(ann, shop, 'Where is my order?');
    await authorOf(shop, ann, 'Where is my order?');
    const to = { bot_id: shop.id, chat_id: ann.id };
    const own = { id: 0, name: 'command line' };
    const ofKey = { kind: 'key', ...own };
    const sendAt = Math.ceil(Date.now() / 1_000) + 1;
    await call('/api/messages/send', { ...to, text: 'As promised', send_at: sendAt });
    expect(await authorOf(shop, ann, 'As promised')).toEqual(ofKey);

    const question = { text: 'Still there?', options: ['Yes', 'No'] };
    await call('/api/ask', { ...to, ...question });
    expect(await authorOf(shop, ann, question.text)).toMatchObject({ kind: 'ask' });

    const draft = { bot_id: shop.id, name: 'Hours', text: 'We open at nine' };
    const { id, recipients } = await call<{ id: number; recipients: number }>(
      '/api/broadcasts/add',
      draft,
    );
    await call('/api/broadcasts/start', { id, recipients });
    expect(await authorOf(shop, ann, draft.text)).toMatchObject({ kind: 'broadcast', id });

    const forum = await call<{ id: number }>('/api/sandbox/chats/create', {
      title: 'Team',
      owner: lead.id,
      is_forum: true,
    });
    const chat = forum.id;
    await call('/api/sandbox/chats/promote', { chat, user: shop.platformId, by: lead.id });
    const desk = await call<{ id: number }>('/api/desks/add', {
      name: 'Help',
      desk_bot_id: shop.id,
      chat_id: chat,
      bot_ids: [shop.id],
    });
    const ofDesk = { kind: 'desk', id: desk.id, name: 'Help' };
    await say(ann, shop, 'Hello, desk');
    expect(await authorOf(shop, { id: chat }, 'Hello, desk')).toMatchObject(ofDesk);
    const inForum = await seen<{ text?: string; message_thread_id?: number }>(lead, chat);
    const topic = inForum.find(({ text }) => text === 'Hello, desk')?.message_thread_id;
    const said = { user: lead.id, chat, message_thread_id: topic };
    await call('/api/sandbox/say', { ...said, text: 'It left today' });
    expect(await authorOf(shop, ann, 'It left today')).toEqual({
      ...ofDesk,
      person: { id: lead.id, name: 'Lead' },
    });
    // What the desk says by itself is nobody's answer.
    await call('/api/sandbox/say', { ...said, text: '/note pays by invoice' });
    const note = 'ℹ️ Noted. The web UI shows it with the person.';
    expect(await authorOf(shop, { id: chat }, note)).toEqual({
      kind: 'relay',
      id: 0,
      name: 'desk',
    });
  });
});
