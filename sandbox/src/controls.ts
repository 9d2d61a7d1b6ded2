import type { SandboxParts } from './actions/action.ts';
import type { Actions } from './actions/bind.ts';
import type { Fault } from './faults/faults.ts';

/** What can be done to a sandbox from outside, apart from the Bot API. */
export interface SandboxControls extends Actions, SandboxParts {
  fault(fault: Fault): number;
  /** The next new update id of this bot is a lower one. */
  jumpUpdateIds(botId: number): void;
}
