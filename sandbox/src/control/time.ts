import { ControlError } from '../api-error.ts';
import { action, type ControlAction, reading, integerField } from './input.ts';
import type { SandboxControls } from '../controls.ts';

export interface ShownTime {
  /** Unix seconds. */
  now: number;
  ahead_seconds: number;
}

const latestMs = Date.UTC(2100, 0, 1);

function show({ world }: SandboxControls): ShownTime {
  return { now: world.now(), ahead_seconds: Math.round(world.clock.aheadMs() / 1000) };
}

export function moveBy(sandbox: SandboxControls, ms: number): ShownTime {
  const { clock } = sandbox.world;
  if (clock.now() + ms > latestMs) throw new ControlError('time_ends');
  sandbox.setAhead(clock.aheadMs() + ms);
  return show(sandbox);
}

/** The sandbox's time moved by hand. */
export const timeActions: Readonly<Record<string, ControlAction>> = {
  time: reading('', show),
  'time/advance': action('seconds', (sandbox, input) => {
    const seconds = integerField(input, 'seconds');
    if (seconds < 0) throw new ControlError('seconds_negative');
    return moveBy(sandbox, seconds * 1000);
  }),
  'time/set': action('now', (sandbox, input) => {
    const now = integerField(input, 'now');
    if (now < 0) throw new ControlError('time_wrong');
    return moveBy(sandbox, now * 1000 - sandbox.world.clock.now());
  }),
  'time/reset': action('', (sandbox) => moveBy(sandbox, -sandbox.world.clock.aheadMs())),
};
