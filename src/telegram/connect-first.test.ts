import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createManualClock } from '../../test/support/manual-clock.ts';
import { type Connected, connectFirst } from './connect-first.ts';

function create(addresses: string[]) {
  const clock = createManualClock();
  const tries = new Map<string, Connected>();
  const outcomes: (Socket | string | undefined)[] = [];
  connectFirst(
    clock,
    addresses,
    (address, connected) => tries.set(address, connected),
    (error, socket) => outcomes.push(socket ?? error?.message),
  );
  const answer = (address: string, socket = new Socket()) => {
    tries.get(address)?.(null, socket);
    return socket;
  };
  const fail = (address: string) => tries.get(address)?.(new Error(`no ${address}`), null);
  return { clock, tried: () => [...tries.keys()], outcomes, answer, fail };
}

describe('connecting to the first address that answers', () => {
  it('tries the other kind of address after a moment of silence, and lets the first one win', async () => {
    const { clock, tried, outcomes, answer } = create(['2001:db8::1', '2001:db8::2', '192.0.2.1']);
    expect(tried()).toEqual(['2001:db8::1']);
    await clock.advance(300);
    expect(tried()).toEqual(['2001:db8::1', '192.0.2.1']);
    const socket = answer('192.0.2.1');
    expect(outcomes).toEqual([socket]);
    const late = answer('2001:db8::1');
    expect(late.destroyed).toBe(true);
    await clock.advance(1_000);
    expect(tried()).toHaveLength(2);
    expect(outcomes).toHaveLength(1);
  });

  it('tries the next at once after a refusal, and fails when all did', async () => {
    const { clock, tried, outcomes, fail } = create(['192.0.2.1', '192.0.2.2']);
    fail('192.0.2.1');
    expect(tried()).toEqual(['192.0.2.1', '192.0.2.2']);
    fail('192.0.2.2');
    expect(outcomes).toEqual(['no 192.0.2.2']);
    await clock.advance(1_000);
    expect(outcomes).toHaveLength(1);
  });

  it('still takes a slow address when the later ones fail', async () => {
    const { clock, outcomes, answer, fail } = create(['192.0.2.1', '192.0.2.2']);
    await clock.advance(300);
    fail('192.0.2.2');
    expect(outcomes).toEqual([]);
    const socket = answer('192.0.2.1');
    expect(outcomes).toEqual([socket]);
  });

  it('tries at most six', async () => {
    const { clock, tried } = create(Array.from({ length: 20 }, (_, index) => `192.0.2.${index}`));
    await clock.advance(60_000);
    expect(tried()).toHaveLength(6);
  });
});
