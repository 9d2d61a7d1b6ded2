import type { Static, TObject, TProperties, TSchema } from 'typebox';
import type { ControlCode } from '../control-reasons.ts';
import type { Faults } from '../faults/faults.ts';
import type { Flood } from '../faults/flood.ts';
import type { World } from '../world/world.ts';

/** The parts of a sandbox that an action reads and changes. */
export interface SandboxParts {
  world: World;
  faults: Faults;
  flood: Flood;
  /** Sets how far sandbox time is ahead of real time; a negative number sets it behind. */
  setAhead(ms: number): void;
}

/**
 * An action on the world. /sandbox/<name> serves it here; the relay makes an endpoint of its API
 * from the same declaration, with its own checks, documents and rights.
 */
export interface ControlAction<Answer = unknown> {
  summary: string;
  description?: string;
  fields: TProperties;
  /** Clients may rely on responses of this schema; without one, nothing is promised. */
  response?: TSchema;
  /** The name of the response's type in generated clients. */
  responseName?: string;
  /** Rules beyond the types of the fields, in JSON Schema; `run` checks them. */
  rules?: Record<string, unknown>;
  /** Refusals for which the relay has an error of its own. */
  refusals?: readonly ControlCode[];
  /** Set if the action changes nothing and may be requested by GET. */
  reads?: true;
  run(sandbox: SandboxParts, input: never): Answer;
}

type Declared<Fields extends TProperties, Answer> = Omit<ControlAction, 'fields' | 'run'> & {
  fields?: Fields;
  run(sandbox: SandboxParts, input: Static<TObject<Fields>>): Answer;
};

/** Gives `run` the types of the fields and does nothing else. */
export function action<Fields extends TProperties, Answer>(
  declared: Declared<Fields, Answer>,
): ControlAction<Answer> {
  return { fields: {}, ...declared };
}
