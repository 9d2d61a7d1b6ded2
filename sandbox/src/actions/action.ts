import type { Static, TObject, TProperties, TSchema } from 'typebox';
import type { ControlCode } from '../control-reasons.ts';
import type { Faults } from '../faults/faults.ts';
import type { Flood } from '../faults/flood.ts';
import type { World } from '../world/world.ts';

/** An action reads and changes these parts of a sandbox. */
export interface SandboxParts {
  world: World;
  faults: Faults;
  flood: Flood;
  /** Sets how far sandbox time is ahead of real time; a negative number sets it behind. */
  setAhead(ms: number): void;
}

/**
 * One thing that can be done to the world. /sandbox/<name> serves it here; the relay makes an endpoint of
 * its API from the same declaration, with its own checks, documents and rights.
 */
export interface ControlAction<Answer = unknown> {
  summary: string;
  description?: string;
  fields: TProperties;
  /** Clients may rely on answers of this schema; without one, nothing is promised. */
  response?: TSchema;
  /** Generated clients name the type of the answer so. */
  responseName?: string;
  /** Rules beyond the types of the fields, in JSON Schema; `run` checks them. */
  rules?: Record<string, unknown>;
  /** Refusals that the relay answers with an error of their own. */
  refusals?: readonly ControlCode[];
  /** It changes nothing and may be asked for by GET. */
  reads?: true;
  run(sandbox: SandboxParts, input: never): Answer;
}

type Declared<Fields extends TProperties, Answer> = Omit<ControlAction, 'fields' | 'run'> & {
  fields?: Fields;
  run(sandbox: SandboxParts, input: Static<TObject<Fields>>): Answer;
};

/** Gives `run` the types of the fields; it does nothing else. */
export function action<Fields extends TProperties, Answer>(
  declared: Declared<Fields, Answer>,
): ControlAction<Answer> {
  return { fields: {}, ...declared };
}
