import { Type } from 'typebox';
import { ControlError } from '../api-error.ts';
import { action, type SandboxParts } from './action.ts';
import { Whole } from './fields.ts';

const latestMs = Date.UTC(2100, 0, 1);

const response = Type.Object({
  now: Type.Integer({ description: 'Unix seconds.' }),
  ahead_seconds: Type.Integer({ description: 'Ahead of real time; negative if behind.' }),
});
const shownTime = { response, responseName: 'SandboxTime' };

function show({ world }: SandboxParts): { now: number; ahead_seconds: number } {
  return { now: world.now(), ahead_seconds: Math.round(world.clock.aheadMs() / 1000) };
}

export function moveBy(sandbox: SandboxParts, ms: number): ReturnType<typeof show> {
  const { clock } = sandbox.world;
  if (clock.now() + ms > latestMs) throw new ControlError('time_ends');
  sandbox.setAhead(clock.aheadMs() + ms);
  return show(sandbox);
}

export const timeActions = {
  time: action({ reads: true, summary: 'Get the sandbox time', ...shownTime, run: show }),
  'time/advance': action({
    summary: 'Advance the sandbox time',
    description:
      'Updates and queries expire, mutes end, polls close and webhooks are retried, as if the time had passed.',
    fields: { seconds: Whole('How long.', 0, 315_360_000, 3_600) },
    ...shownTime,
    run: (sandbox, { seconds }) => moveBy(sandbox, seconds * 1000),
  }),
  'time/set': action({
    summary: 'Set the sandbox time',
    description: 'Setting it back undoes nothing: remaining waits keep their length.',
    fields: { now: Whole('Unix seconds.', 0, 4_102_444_800, 1_893_456_000) },
    ...shownTime,
    run: (sandbox, { now }) => moveBy(sandbox, now * 1000 - sandbox.world.clock.now()),
  }),
  'time/reset': action({
    summary: 'Reset the sandbox time',
    ...shownTime,
    run: (sandbox) => moveBy(sandbox, -sandbox.world.clock.aheadMs()),
  }),
};
