import { expect, it, onTestFinished } from 'vitest';
import { readUpdate } from '../../src/core/log/update-facts.ts';
import { createDatabase, dialects } from '../support/database/engines.ts';
import { settleAsRestored } from '../support/database/restored.ts';
import { storeOn } from '../support/database/store.ts';

const ann = 5;
const [refund, parcel] = [7, 8];

it.each(dialects)(
  'the state of topics follows a setting that another node changed, and stays after a restore, on %s',
  async (dialect) => {
    const database = await createDatabase(dialect);
    onTestFinished(() => database.drop());
    const open = async () => {
      const engine = await database.open();
      onTestFinished(() => engine.close());
      return { engine, store: storeOn(engine) };
    };
    const first = await open();
    // SQLite has one node.
    const second = dialect === 'postgres' ? await open() : first;
    const { id: botId } = await first.store.bots.insert(
      { token: '1:a', source: 'web', manage_enabled: true },
      1,
    );
    const setPerTopic = (per_topic: boolean) => second.store.bots.update(botId, { per_topic }, 1);
    let last = 0;
    /** The first node takes the update in. */
    async function say(thread: number): Promise<void> {
      last += 1;
      const chat = { id: ann, type: 'private', first_name: 'Ann' };
      const topic = { message_thread_id: thread, is_topic_message: true };
      const said = { message_id: last, date: last, chat, from: { id: ann }, text: '?', ...topic };
      const update = { update_id: last, message: said };
      const read = readUpdate(JSON.stringify(update), update, last * 1_000);
      if (!read) throw new Error('the update is unreadable');
      await first.store.log.append(() => [{ botId, updates: [read], receivedAt: last * 1_000 }]);
    }
    /** Since when somebody waits in the chat and in both topics, as this node reads it. */
    const waiting = async ({ store }: typeof first) => {
      const found = [0, refund, parcel].map((thread) => store.chats.get(botId, ann, thread));
      return (await Promise.all(found)).map((row) => (row?.unanswered_since ?? 0) / 1_000);
    };

    await say(refund);
    expect(await waiting(second)).toEqual([1, 0, 0]);
    await setPerTopic(true);
    expect(await waiting(first)).toEqual([0, 1, 0]);
    await say(parcel);
    expect(await waiting(second)).toEqual([0, 1, 2]);
    await setPerTopic(false);
    await say(parcel);
    expect(await waiting(second)).toEqual([1, 0, 0]);
    await setPerTopic(true);
    await say(parcel);
    const state = { botId, chatId: ann, threadId: refund };
    await second.store.conversations.assign(
      state,
      { key: 'person:5', name: 'Ann' },
      { key: '', confirmed: false },
    );
    await second.store.conversations.snooze(state, 9_000);
    expect(await waiting(second)).toEqual([0, 1, 4]);

    await settleAsRestored(database);
    const restored = await (dialect === 'postgres' ? open() : first);
    expect(await waiting(restored)).toEqual([0, 1, 4]);
    expect(await restored.store.chats.get(botId, ann, refund)).toMatchObject({
      assignee: 'person:5',
      snoozed_until: 9_000,
    });
  },
);
