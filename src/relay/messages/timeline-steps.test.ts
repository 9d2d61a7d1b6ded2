import { expect, it } from 'vitest';
import { stepsOfRouting } from './timeline-steps.ts';

it('says since when a message waits for the topic of a desk', () => {
  const at = '2026-11-16T09:00:00.000Z';
  const match = {
    action: 'desk',
    result: 'queued',
    reason: 'desk',
    reason_detail: null,
    sends: [],
    waits_for_desk: true,
  };
  const decision = { outcome: 'routed', created_at: at, reason: '', matched: [match] };
  const steps = stepsOfRouting({ decision, waitsForRoutes: false } as never);
  expect(steps.at(-1)).toMatchObject({ kind: 'send', state: 'waiting', at });
  expect(steps.at(-1)?.detail?.code).toBe('step_desk_waits');
});
