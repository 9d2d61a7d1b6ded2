import { afterEach, describe, expect, it } from 'vitest';
import { dialects } from '../../support/database/engines.ts';
import {
  type Arrival,
  createPushRig,
  message,
  type PushRig,
} from '../../support/rigs/delivery-rig.ts';

/** The same seed gives the same run, as far as the network allows. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const chats = 12;
const total = 300;
const connections = 4;
const crashes = 3;

describe.each(dialects)('push under stress on %s', (dialect) => {
  let rig: PushRig;
  afterEach(() => rig.close());

  // Few connections, little memory, a backend that fails at random, and a process that dies: all
  // at once, as each part is tested alone elsewhere.
  it.each([1, 2])('loses nothing and keeps every chat in order, seed %i', async (seed) => {
    const random = randomFrom(seed);
    rig = await createPushRig(dialect, {
      maxConnections: connections,
      mostUnfinished: 24,
      mostRetryQueues: 3,
    });
    await rig.apply();
    const taken: Arrival[] = [];
    rig.backend.answer = (arrival) => {
      const dice = random();
      if (dice < 0.12) return { status: 500 };
      if (dice < 0.16) return { status: 429, headers: { 'retry-after': '3' } };
      taken.push(arrival);
      return {};
    };

    let sent = 0;
    for (let life = 0; life <= crashes; life++) {
      const until = Math.round((total * (life + 1)) / (crashes + 1));
      while (sent < until) {
        const batch = Array.from({ length: Math.min(1 + Math.floor(random() * 20), until - sent) });
        // Some chats talk much more than others.
        const updates = batch.map(() => message(++sent, 1 + Math.floor(random() ** 2 * chats)));
        await rig.receive(updates);
        await rig.clock.advance(Math.floor(random() * 3_000));
      }
      if (life === crashes) break;
      await rig.crash();
      await rig.apply();
    }
    await rig.until(async () => {
      const cursor = await rig.cursor();
      return (
        cursor?.position === total && (await rig.retryQueues.first(rig.bot, 'push', 1)).length === 0
      );
    }, 250);

    expect(new Set(taken.map((arrival) => arrival.updateId)).size).toBe(total);
    for (let chat = 1; chat <= chats; chat++) {
      const ids = taken.filter((a) => a.chatId === chat).map((a) => a.updateId);
      const once = [...new Set(ids)];
      expect(once).toEqual([...once].sort((a, b) => a - b));
    }
    // Under way, and answered but not yet written: each at most as many as there are connections.
    expect(taken.length - total).toBeLessThanOrEqual(crashes * 2 * connections);
    const left = await rig.engine.readRaw('select position from retry_positions', []);
    expect(left).toEqual([]);
  });
});
