import { botRef } from '../actions/refs.ts';
import { ControlError } from '../api-error.ts';
import { asNumber } from '../methods/params.ts';
import type { SandboxControls } from '../controls.ts';

/* What a control action is given: plain JSON, or a query whose values are all texts. */

export type ControlInput = Record<string, unknown>;

type Run<Answer> = (sandbox: SandboxControls, input: ControlInput) => Answer;

/** One thing that can be done to the world, declared once. */
export interface ControlAction<Answer = unknown> {
  /** Names of its fields. */
  takes: string;
  /** It changes nothing and may be asked for by GET. */
  reads: boolean;
  run: Run<Answer>;
}

export const action = <Answer>(takes: string, run: Run<Answer>): ControlAction<Answer> => ({
  takes,
  reads: false,
  run,
});

export const reading = <Answer>(takes: string, run: Run<Answer>): ControlAction<Answer> => ({
  takes,
  reads: true,
  run,
});

export function textField(input: ControlInput, name: string): string {
  const value = input[name];
  if (typeof value === 'string' && value !== '') return value;
  if (value === undefined) throw new ControlError('field_missing', { field: name });
  throw new ControlError('not_a_text', { field: name });
}

export function optionalText(input: ControlInput, name: string): string | undefined {
  return input[name] === undefined ? undefined : textField(input, name);
}

/** A text that may be empty or absent. */
export const anyText = (input: ControlInput, name: string): string =>
  input[name] === undefined || input[name] === '' ? '' : textField(input, name);

export function integerField(input: ControlInput, name: string): number {
  const value = asNumber(input[name]);
  if (input[name] === undefined) throw new ControlError('field_missing', { field: name });
  if (input[name] === null || input[name] === '' || !Number.isSafeInteger(value)) {
    throw new ControlError('not_an_integer', { field: name });
  }
  return value;
}

export const optionalInteger = (input: ControlInput, name: string): number | undefined =>
  input[name] === undefined ? undefined : integerField(input, name);

/** A user, bot or chat: an id or an @username. */
export function ref(input: ControlInput, name: string): number | string {
  const value = input[name];
  if (typeof value === 'number' || (typeof value === 'string' && value !== '')) return value;
  if (value === undefined) throw new ControlError('field_missing', { field: name });
  throw new ControlError('not_a_reference', { field: name });
}

export const botId = (sandbox: SandboxControls, input: ControlInput): number =>
  botRef(sandbox.world, ref(input, 'bot')).id;

export function list(input: ControlInput, name: string): unknown[] {
  const value = input[name] ?? [];
  if (Array.isArray(value)) return value;
  throw new ControlError('not_a_list', { field: name });
}

export const flag = (input: ControlInput, name: string, fallback: boolean): boolean =>
  input[name] === undefined ? fallback : input[name] === true || input[name] === 'true';

/** Only the fields named, so that a typo or an extra never reaches the records. */
export function pick(input: ControlInput, names: string[]): ControlInput {
  return Object.fromEntries(
    names.filter((name) => input[name] !== undefined).map((name) => [name, input[name]]),
  );
}
