import { describe, expect, it, vi } from 'vitest';
import { eitherDialect } from '../support/database/engines.ts';
import { type Person, type PracticeBot, serviceForAllTests } from '../support/whole-service.ts';

interface Shown {
  outcome: string;
  delivery: string;
  matched: { result: string; target_bot_id: number; sends: { state: string; error: string }[] }[];
}

/** An obstacle to a message is reported, and everything else continues. */
describe.each(eitherDialect)('obstacles of routing on %s', (dialect) => {
  const { ask, call, addBot, addRoute, addPerson, say, seen } = serviceForAllTests(dialect);
  const decided = (bot: PracticeBot, check: (decisions: Shown[]) => void) =>
    vi.waitFor(async () => check(await call<Shown[]>(`/api/routes/decisions?bot_id=${bot.id}`)), {
      interval: 20,
    });
  const failedOf = (bot: PracticeBot) =>
    call<Shown[]>(`/api/routes/decisions?bot_id=${bot.id}&failed=true`);
  const receivedBy = async (person: Person, bot: PracticeBot) =>
    (await seen(person, bot.platformId)).map(({ text }) => text);

  /** A bot with two targets: one meets the obstacle, the other shows that nothing was lost. */
  async function scene() {
    const [front, hindered, free] = [await addBot(), await addBot(), await addBot()];
    const ann = await addPerson('Ann');
    for (const bot of [hindered, free]) await say(ann, bot, '/start');
    await addRoute(front, hindered);
    await addRoute(front, free);
    return { front, hindered, free, ann };
  }
  const sent = expect.objectContaining({ sends: [expect.objectContaining({ state: 'sent' })] });

  it('a target bot that is disabled is passed over; what comes after it is enabled arrives', async () => {
    const { front, hindered, free, ann } = await scene();
    await call(`/api/bots/toggle-disabled?id=${hindered.id}`, {});
    await say(ann, front, 'while it is off');
    await decided(front, ([decision]) => {
      expect(decision?.matched).toEqual([
        expect.objectContaining({ result: 'not sent: the target bot is disabled', sends: [] }),
        sent,
      ]);
      expect(decision?.delivery).toBe('failed');
    });
    await call(`/api/bots/toggle-disabled?id=${hindered.id}`, {});
    await say(ann, front, 'when it is on');
    await decided(front, ([decision]) => expect(decision?.matched).toEqual([sent, sent]));
    expect(await failedOf(front)).toMatchObject([{ outcome: 'routed', delivery: 'failed' }]);
    expect(await receivedBy(ann, hindered)).toEqual(['/start', 'when it is on']);
    expect(await receivedBy(ann, free)).toEqual(['/start', 'while it is off', 'when it is on']);
  });

  it('a target bot that is deleted takes its routes with it', async () => {
    const { front, hindered, free, ann } = await scene();
    await call(`/api/bots/delete?id=${hindered.id}`, {});
    await say(ann, front, 'without it');
    await decided(front, ([decision]) => expect(decision?.matched).toEqual([sent]));
    expect(await receivedBy(ann, free)).toEqual(['/start', 'without it']);
  });

  it('a route that is given another source acts on the former one no more', async () => {
    const [front, other, back] = [await addBot(), await addBot(), await addBot()];
    const ann = await addPerson('Ann');
    await say(ann, back, '/start');
    const { id } = await addRoute(front, back);
    await say(ann, front, 'before');
    await decided(front, ([decision]) => expect(decision?.matched).toEqual([sent]));
    await call('/api/routes/update', {
      id,
      source_bot_id: other.id,
      target_bot_id: back.id,
      action: 'copy',
    });
    await say(ann, front, 'after');
    await say(ann, other, 'from the other');
    await decided(other, ([decision]) => expect(decision?.matched).toEqual([sent]));
    await decided(front, (decisions) =>
      expect(decisions.map(({ matched }) => matched)).toEqual([[], [sent]]),
    );
    expect(await receivedBy(ann, back)).toEqual(['/start', 'before', 'from the other']);
  });

  it('a person who blocked the target bot gets nothing, in the words of the platform', async () => {
    const { front, hindered, free, ann } = await scene();
    const block = (blocked: boolean) =>
      call('/api/sandbox/users/block-bot', { user: ann.id, bot: hindered.platformId, blocked });
    await block(true);
    await say(ann, front, 'blocked');
    await decided(front, ([decision]) => {
      const [refused] = decision?.matched[0]?.sends ?? [];
      expect(refused?.state).toBe('failed');
      expect(refused?.error).toContain('Forbidden: bot was blocked by the user');
      expect(decision?.matched[1]).toEqual(sent);
    });
    await block(false);
    await say(ann, front, 'friends again');
    await decided(front, ([decision]) => expect(decision?.matched).toEqual([sent, sent]));
    expect(await receivedBy(ann, hindered)).toEqual(['/start', 'friends again']);
    expect(await receivedBy(ann, free)).toEqual(['/start', 'blocked', 'friends again']);
  });

  it('a chat that the target bot is not in gets nothing until it is let in', async () => {
    const front = await addBot();
    const back = await addBot();
    const ann = await addPerson('Ann');
    const room = await call<{ id: number }>('/api/sandbox/chats/create', {
      title: 'Room',
      owner: ann.id,
    });
    await addRoute(front, back, { target_chat_id: room.id });
    await say(ann, front, 'outside');
    await decided(front, ([decision]) => {
      const [refused] = decision?.matched[0]?.sends ?? [];
      expect(refused).toMatchObject({ state: 'failed' });
      expect(refused?.error).toContain('Bad Request: chat not found');
    });
    await call('/api/sandbox/chats/add-member', {
      user: back.platformId,
      chat: room.id,
      by: ann.id,
    });
    await say(ann, front, 'inside');
    await decided(front, ([decision]) => expect(decision?.matched).toEqual([sent]));
    // Every update was decided, the refused one too, and none is sent afterwards.
    const all = await call<Shown[]>(`/api/routes/decisions?bot_id=${front.id}`);
    expect(all.map((decision) => decision.outcome)).toEqual(['routed', 'routed']);
    expect(all.map((decision) => decision.delivery)).toEqual(['sent', 'failed']);
    expect(await failedOf(front)).toEqual(all.slice(1));
  });

  it('a condition that makes no sense is refused before it can do harm', async () => {
    const front = await addBot();
    const refusal = async (condition_type: string, condition_value: string) =>
      ask('/api/routes/add', {
        source_bot_id: front.id,
        target_bot_id: front.id,
        action: 'copy',
        condition_type,
        condition_value,
      });
    for (const [type, value] of [
      ['regex', '(unclosed'],
      ['user_id', 'ann'],
      ['chat_id', '12.5'],
      ['keyword', ' ,!'],
    ] as const) {
      expect(await refusal(type, value)).toMatchObject({
        status: 400,
        json: { details: [{ field: 'condition_value' }] },
      });
    }
    expect(await call(`/api/routes?bot_id=${front.id}`)).toEqual([]);
  });
});
