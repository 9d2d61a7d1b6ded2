import { describe, expect, it } from 'vitest';
import { createManualClock } from '../../../test/support/manual-clock.ts';
import { type IncomingUpdate, readUpdate } from '../../core/log/update-facts.ts';
import { createArchiveMemory } from './archive-memory.ts';

function message(id: number, title: string): IncomingUpdate {
  const update = {
    update_id: id,
    message: {
      message_id: id,
      date: 1_000 + id,
      chat: { id: -5, type: 'group', title },
      from: { id: 7, is_bot: false, first_name: 'Ann' },
      text: 'x',
    },
  };
  return readUpdate(JSON.stringify(update), update, 0) as IncomingUpdate;
}

describe('archive memory', () => {
  it('lets through what is new or changed, and holds back what is stored', async () => {
    const clock = createManualClock();
    const memory = createArchiveMemory(clock);
    const first = message(1, 'Room');
    expect(memory.trim(1, first)).toBe(first);
    // The memory keeps nothing before its commit.
    expect(memory.trim(1, message(2, 'Room')).archive.chats.length).toBe(1);
    memory.stored(1, first.archive);
    expect(memory.trim(1, message(3, 'Room')).archive).toMatchObject({ chats: [], people: [] });
    expect(memory.trim(1, message(4, 'New name')).archive).toMatchObject({
      chats: [{ title: 'New name' }],
      people: [],
    });
    // Chats are remembered per bot, people for all bots.
    expect(memory.trim(2, message(5, 'Room')).archive).toMatchObject({
      chats: [{ title: 'Room' }],
      people: [],
    });
    expect(memory.trim(1, message(6, 'Room')).archive.messages.length).toBe(1);
  });

  it('lets a person through again after a minute, so that when they were last seen follows', async () => {
    const clock = createManualClock();
    const memory = createArchiveMemory(clock);
    memory.stored(1, message(1, 'Room').archive);
    await clock.advance(59_000);
    expect(memory.trim(1, message(2, 'Room')).archive.people).toEqual([]);
    await clock.advance(1_000);
    expect(memory.trim(1, message(3, 'Room')).archive.people).toMatchObject([{ userId: 7 }]);
  });

  it('tells within a second when a busy chat last had a message', async () => {
    const clock = createManualClock();
    const memory = createArchiveMemory(clock);
    const due: unknown[] = [];
    memory.onDue(() => due.push(...memory.takeDue()));
    memory.stored(1, message(1, 'Room').archive);
    memory.trim(1, message(3, 'Room'));
    memory.trim(1, message(2, 'Room'));
    await clock.advance(1_000);
    expect(due).toEqual([{ botId: 1, chatId: -5, date: 1_003 }]);
  });

  it('writes the row of a busy chat once a minute, and otherwise only its time', async () => {
    const clock = createManualClock();
    const memory = createArchiveMemory(clock);
    const dates: number[] = [];
    let rows = 0;
    memory.onDue(() => dates.push(...memory.takeDue().map(({ date }) => date)));
    memory.stored(1, message(999, 'Room').archive);
    for (let id = 1; id <= 300; id++) {
      await clock.advance(250);
      const { archive } = memory.trim(1, message(id, 'Room'));
      rows += archive.chats.length;
      memory.stored(1, archive);
    }
    expect(rows).toBe(1);
    expect(dates.length).toBeGreaterThan(50);
    // A chat that was quiet for a second is written with its message.
    await clock.advance(3_000);
    expect(memory.trim(1, message(301, 'Room')).archive.chats.length).toBe(1);
  });

  it('forgets a bot that is gone, but not what it held back', async () => {
    const clock = createManualClock();
    const memory = createArchiveMemory(clock);
    const due: unknown[] = [];
    memory.onDue(() => due.push(...memory.takeDue()));
    memory.stored(1, message(1, 'Room').archive);
    memory.trim(1, message(2, 'Room'));
    memory.forget(1);
    expect(memory.trim(1, message(3, 'Room')).archive.chats.length).toBe(1);
    await clock.advance(1_000);
    expect(due).toEqual([{ botId: 1, chatId: -5, date: 1_002 }]);
  });

  it('lets a chat through that is no longer stored, and keeps what it knows of others', () => {
    const memory = createArchiveMemory(createManualClock());
    memory.stored(1, message(1, 'Room').archive);
    memory.stored(2, message(1, 'Room').archive);
    memory.forgetChat(1, -5);
    memory.forgetChat(1, -6);
    expect(memory.trim(1, message(2, 'Room')).archive.chats).toMatchObject([{ chatId: -5 }]);
    expect(memory.trim(2, message(2, 'Room')).archive.chats).toEqual([]);
  });

  it('makes room when it is full, and lets what it forgot through again', () => {
    const memory = createArchiveMemory(createManualClock());
    const chat = (id: number) => ({ ...message(1, 'Room').archive, chats: [room(id)], people: [] });
    const passes = (botId: number, id: number) => {
      const update = { ...message(2, 'Room'), archive: chat(id) };
      return memory.trim(botId, update).archive.chats.length === 1;
    };
    const room = (chatId: number) => ({ chatId, type: 'group', title: 'Room', username: '' });
    memory.stored(1, chat(1));
    for (let id = 1; id < 50_000; id++) memory.stored(2, chat(id));
    expect([passes(1, 1), passes(2, 1), passes(2, 49_999)]).toEqual([false, false, false]);
    memory.stored(2, chat(50_000));
    expect([passes(1, 1), passes(2, 1), passes(2, 50_000)]).toEqual([true, false, false]);
    // The memory is full again, and the second bot is the one heard of first.
    memory.stored(2, chat(50_001));
    expect([passes(2, 1), passes(2, 50_001)]).toEqual([true, false]);
  });
});
