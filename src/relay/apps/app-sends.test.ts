import { describe, expect, it } from 'vitest';
import { createManualClock } from '../../../test/support/manual-clock.ts';
import { type IncomingUpdate, readUpdate } from '../../core/log/update-facts.ts';
import type { UpdateLog } from '../log/update-log.ts';
import { afterSends, createAppSends } from './app-sends.ts';

function update(message: object): IncomingUpdate {
  const whole = { update_id: 1, message: { message_id: 9, date: 1, chat: { id: 7 }, ...message } };
  return readUpdate(JSON.stringify(whole), whole, 1) as IncomingUpdate;
}

const reply = update({ reply_to_message: { message_id: 5, date: 1, chat: { id: 7 } } });
const plain = update({ text: 'hi' });

function setUp() {
  const clock = createManualClock();
  const sends = createAppSends(clock);
  const appended: IncomingUpdate[] = [];
  const log = afterSends(
    {
      async append(_botId, updates) {
        appended.push(...updates);
        return { status: 'stored', entries: [], duplicates: 0 };
      },
    } as Partial<UpdateLog> as UpdateLog,
    sends,
  );
  const append = (botId: number, one: IncomingUpdate) =>
    void log.append(botId, [one], { receivedAt: 1 });
  return { clock, sends, appended, append };
}

describe('replies to what an app sends', () => {
  it('wait for the sends of their bot that are in flight, and for no other', async () => {
    const { clock, sends, appended, append } = setUp();
    const end = sends.begin(1);
    const endOther = sends.begin(1);
    append(1, reply);
    append(2, reply);
    append(1, plain);
    expect(appended).toEqual([reply, plain]);
    end();
    await clock.advance(0);
    expect(appended).toHaveLength(2);
    endOther();
    await clock.advance(0);
    expect(appended).toEqual([reply, plain, reply]);
    append(1, reply);
    expect(appended).toHaveLength(4);
  });

  it('wait for sends into their chat, and for those whose chat is not known', async () => {
    const { clock, sends, appended, append } = setUp();
    sends.begin(1, 8);
    append(1, reply);
    expect(appended).toEqual([reply]);
    const ends = [sends.begin(1, 7), sends.begin(1)];
    append(1, reply);
    for (const end of ends) {
      expect(appended).toEqual([reply]);
      end();
      await clock.advance(0);
    }
    expect(appended).toEqual([reply, reply]);
  });

  it('wait a second in all for a send that is not answered, however many they are', async () => {
    const { clock, sends, appended, append } = setUp();
    sends.begin(1);
    append(1, reply);
    await clock.advance(1_000);
    expect(appended).toEqual([reply]);
    append(1, reply);
    append(1, reply);
    expect(appended).toEqual([reply, reply, reply]);
  });

  it('wait a second at most, and not for what begins later', async () => {
    const { clock, sends, appended, append } = setUp();
    sends.begin(1);
    append(1, reply);
    await clock.advance(500);
    sends.begin(1);
    expect(appended).toEqual([]);
    await clock.advance(500);
    expect(appended).toEqual([reply]);
  });
});
