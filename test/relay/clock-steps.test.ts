import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSender } from '../../src/relay/outbox/outbox.ts';
import { createOutboxRig, type OutboxRig } from '../support/outbox-rig.ts';

describe('sending when the wall clock is set back by an hour', () => {
  let rig: OutboxRig;

  beforeEach(async () => {
    rig = await createOutboxRig('sqlite');
  });
  afterEach(() => rig.close());

  it('does not hold the sending limits for the hour', async () => {
    const { deps, clock, request, arrived } = rig;
    const sender = createSender(deps);
    for (let count = 0; count < 4; count++) await sender.send(request(`before ${count}`));
    clock.shiftWall(-3_600_000);
    await clock.advance(1_500);
    await sender.send(request('after'));
    expect(arrived()).toContain('after');
  });
});
