import type { SandboxParts } from './actions/action.ts';
import type { Actions } from './actions/bind.ts';
import type { Fault } from './faults/faults.ts';

/** Controls a sandbox from outside, apart from the Bot API. */
export interface SandboxControls extends Actions, SandboxParts {
  fault(fault: Fault): number;
  /** Makes the next new update ID of this bot a lower one. */
  jumpUpdateIds(botId: number): void;
}
