import { beforeEach, describe, expect, it } from 'vitest';
import { readUpdate } from '../../../src/core/log/update-facts.ts';
import { alertAuthor } from '../../../src/core/messages/author.ts';
import { everyPrivateChat, optOutData } from '../../../src/core/messages/broadcast.ts';
import type { SendRequest } from '../../../src/core/ports.ts';
import { createOptOuts } from '../../../src/relay/outbox/opt-outs.ts';
import { raw } from '../../../src/store/engine.ts';
import type { Store } from '../../../src/store/store.ts';
import { dialects } from '../../support/database/engines.ts';
import { openStore } from '../../support/database/store.ts';

const [ann, ben, cem] = [5, 6, 7];

describe.each(dialects)('opting out of broadcasts on %s', (dialect) => {
  let store: Store;
  let botId: number;
  let sent: SendRequest[];
  let updateId = 0;

  beforeEach(async () => {
    store = await openStore(dialect);
    ({ id: botId } = await store.bots.insert({ token: '1:a', source: 'web' }, 1));
    sent = [];
    for (const opt_out_reply of ['The old reply', 'Bye']) await broadcastWith(opt_out_reply);
  });

  async function broadcastWith(
    opt_out_reply: string,
    { word = 'stop', startedAt = 1 }: { word?: string; startedAt?: number } = {},
  ): Promise<void> {
    const options = {
      ...{ opt_out_button: 'Unsubscribe', opt_out_word: word, opt_out_reply },
      ...{ stop_at_blocked_percent: 0, allow_paid_broadcast: false },
    };
    const message = { request: {}, method: 'sendMessage', params: { text: 'news' } };
    const about = { botId, name: '', message, options, author: alertAuthor, recipients: 0 };
    const id = await store.broadcasts.add({ ...about, audience: everyPrivateChat }, 1);
    if (startedAt > 0) await store.broadcasts.run(id, ['draft'], startedAt);
    await store.broadcasts.halt(id, 'canceled', 1);
  }
  /** A node that has just started. */
  const newNode = (log: Pick<Store['log'], 'head' | 'read'> = store.log) =>
    createOptOuts({
      broadcasts: store.broadcasts,
      log,
      sender: {
        async send(request) {
          sent.push(request);
          return true;
        },
      },
      onError(error) {
        throw error;
      },
    });
  async function stored(...updates: object[]): Promise<void> {
    const incoming = updates.map((update) => {
      const whole = { update_id: ++updateId, ...update };
      const read = readUpdate(JSON.stringify(whole), whole, 2);
      if (!read) throw new Error('no update');
      return read;
    });
    await store.log.append(() => [{ botId, updates: incoming, receivedAt: 2 }]);
  }
  const chat = (id: number) => ({ id, type: 'private' });
  const says = (id: number, text: string) => ({
    message: { message_id: ++updateId, date: 1, chat: chat(id), from: { id }, text },
  });
  const presses = (id: number) => ({
    callback_query: {
      id: `press of ${id}`,
      from: { id },
      message: { message_id: 1, date: 1, chat: chat(id) },
      data: optOutData,
    },
  });
  const marked = async () =>
    (
      await store.engine.readRaw<{ chat_id: number }>(
        'select chat_id from broadcast_marks order by chat_id',
        [],
      )
    ).map(({ chat_id }) => chat_id);
  const answers = () => sent.map(({ chatId, method, params }) => [method, chatId, params.text]);

  it('works though a crash came between an update and its mark', async () => {
    await stored(says(ann, '/start'), says(ann, 'Stop'), presses(ben));
    await stored(says(cem, 'stop'), says(cem, '/start'), says(cem, 'stop it, please'));
    let turns = 0;
    setImmediate(() => turns++);
    await newNode().lookBack(botId);
    expect(await marked()).toEqual([ann, ben]);
    expect(answers()).toEqual([
      ['sendMessage', ann, 'Bye'],
      ['answerCallbackQuery', 0, 'Bye'],
    ]);
    expect(turns).toBeGreaterThan(0);
    // The next start finds the same updates.
    await newNode().lookBack(botId);
    expect(await marked()).toEqual([ann, ben]);
    expect(answers()).toHaveLength(2);
  });

  it('stays, though a node looks back at an earlier /start', async () => {
    await stored(says(ann, '/start'), says(ben, '/start'));
    const looking = newNode().lookBack(botId);
    await store.broadcasts.mark(botId, ann, true, 3);
    await looking;
    await newNode().lookBack(botId);
    expect(await marked()).toEqual([ann]);
  });

  it('follows what people write while a node looks back', async () => {
    await stored(says(ann, 'stop'), says(ben, 'stop'));
    for (const id of [ann, ben]) await store.broadcasts.mark(botId, id, true, 2);
    let isFirst = true;
    const node = newNode({
      head: store.log.head,
      async read(...from) {
        const entries = await store.log.read(...from);
        if (isFirst) await stored(says(ann, '/start'), says(cem, 'stop'));
        if (isFirst) node.received(botId, await store.log.read(botId, 2, 2));
        isFirst = false;
        return entries;
      },
    });
    await node.lookBack(botId);
    await expect.poll(marked).toEqual([ben, cem]);
    await expect.poll(answers).toEqual([['sendMessage', cem, 'Bye']]);
  });

  it('ends with a /start that a node with a slower clock receives', async () => {
    const node = newNode();
    await node.reload();
    await store.broadcasts.mark(botId, ann, true, 3);
    await stored(says(ann, '/start'));
    node.received(botId, await store.log.read(botId, 0, 1));
    await expect.poll(marked).toEqual([]);
  });

  it('takes no word for it that a person wrote before the first broadcast with it', async () => {
    await broadcastWith('Bye', { word: 'later', startedAt: 3 });
    await broadcastWith('Bye', { word: 'never', startedAt: 0 });
    await stored(says(ann, 'later'), says(ben, 'never'), says(cem, 'stop'));
    await newNode().lookBack(botId);
    expect(await marked()).toEqual([cem]);
    expect(answers()).toEqual([['sendMessage', cem, 'Bye']]);
  });

  it('leaves bots alone that never had a broadcast', async () => {
    const other = await store.bots.insert({ token: '2:b', source: 'web' }, 1);
    await store.engine.write(() => raw('delete from broadcasts where bot_id = $1', [botId]));
    await stored(says(ann, 'stop'));
    for (const id of [botId, other.id]) await newNode().lookBack(id);
    expect(await marked()).toEqual([]);
  });
});
