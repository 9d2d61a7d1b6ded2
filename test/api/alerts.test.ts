import { describe, expect, it, vi } from 'vitest';
import { serve } from '../support/local-server.ts';
import { eitherDialect } from '../support/database/engines.ts';
import { createJumpingClock } from '../support/rigs/jumping-clock.ts';
import { type Person, serviceForEachTest } from '../support/whole-service.ts';

interface Shown {
  message_id: number;
  text: string;
}

describe.each(eitherDialect)('alerts from end to end on %s', (dialect) => {
  const clock = createJumpingClock();
  const service = serviceForEachTest(dialect, {}, { clock });
  /** Moves time until it is so; in between, requests get a moment, and the node keeps its leases. */
  const soon = <T>(check: () => Promise<T>) =>
    vi.waitFor(
      () => {
        clock.jump(1_000);
        return check();
      },
      { interval: 150 },
    );
  const { addBot, addPerson, call, say, seen } = service;

  it('a broken backend is told, a stranger is refused, and Retry now resolves it', async () => {
    let isBroken = true;
    let taken = '';
    const backend = await serve(async (request, reply) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      if (isBroken) return request.socket.destroy();
      taken += body;
      return reply.writeHead(200).end();
    });
    const [shop, guard] = [await addBot(), await addBot({ long_poll_enabled: true })];
    const [ann, bob] = [await addPerson('Ann'), await addPerson('Bob')];
    const group = await call<{ id: number }>('/api/sandbox/chats/create', {
      type: 'group',
      title: 'Watch',
      owner: ann.id,
      members: [guard.platformId, bob.id],
    });
    const shown = async () =>
      (await seen<Shown>(ann, group.id)).filter(({ text }) => /is down|was down/.test(text ?? ''));
    await call('/api/alerts/channels/add', {
      type: 'telegram',
      bot_id: guard.id,
      chat_id: group.id,
      delay_seconds: 0,
      allowed_user_ids: [ann.id],
    });
    await call('/api/bots/update', {
      id: shop.id,
      proxy_enabled: true,
      backend_url: `${backend.url}/updates`,
    });
    await say(ann, shop, 'hello');
    const opened = await soon(async () => {
      const [message] = await shown();
      expect(message?.text).toContain('🔴');
      return message as Shown;
    });
    const press = async (person: Person) => {
      const { id } = await call<{ id: string }>('/api/sandbox/press', {
        user: person.id,
        chat: group.id,
        message_id: opened.message_id,
        button: 'Retry now',
      });
      // Time stands still, so that it is the press that retries.
      return vi.waitFor(async () => {
        const answer = await call<{ text?: string }>(`/api/sandbox/callback-answer?id=${id}`);
        expect(answer.text ?? '').not.toBe('');
        return answer.text;
      });
    };
    expect(await press(bob)).toContain('You may not do this');
    const [refused] = await call<{ action: string; user_id: number }[]>('/api/adminlog?limit=1');
    expect(refused).toMatchObject({ action: 'alerts.refused-press', user_id: bob.id });
    isBroken = false;
    expect(await press(ann)).toBe('Retrying.');
    await vi.waitFor(() => expect(taken).toContain('hello'));
    await soon(async () => {
      const messages = await shown();
      expect(messages).toHaveLength(1);
      expect(messages[0]).toMatchObject({ message_id: opened.message_id });
      expect(messages[0]?.text).toContain('Resolved after');
    });
    await soon(async () => {
      const [alert] = await call<Record<string, unknown>[]>('/api/alerts?state=resolved');
      expect(alert).toMatchObject({ kind: 'backend_down', channels: [{ state: 'sent' }] });
    });
    // Presses are not for the apps of the bot.
    const updates = await call<Record<string, unknown>[]>(
      `/api/updates/poll?bot_id=${guard.id}&timeout=0`,
    );
    expect(JSON.stringify(updates)).not.toContain('callback_query');
    await backend.close();
  });
});
