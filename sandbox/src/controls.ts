import type { Actions } from './actions/bind.ts';
import type { Fault, Faults } from './faults/faults.ts';
import type { Flood } from './faults/flood.ts';
import type { World } from './world/world.ts';

/** What can be done to a sandbox from outside, apart from the Bot API. */
export interface SandboxControls extends Actions {
  world: World;
  faults: Faults;
  flood: Flood;
  fault(fault: Fault): number;
  /** The next new update id of this bot is a lower one. */
  jumpUpdateIds(botId: number): void;
  /** Moves time: how far it is then ahead of the real one; negative for behind. */
  setAhead(ms: number): void;
}
