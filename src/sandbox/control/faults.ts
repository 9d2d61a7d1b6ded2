import { asNumber } from '../methods/params.ts';
import { ControlError } from '../api-error.ts';
import { botId, type ControlInput, optionalText, text } from './input.ts';
import { FAULT_KINDS, type Fault, type FaultKind } from '../faults/faults.ts';
import type { Steerable } from '../steerable.ts';

/** Numbers of a fault, and what each may be. */
const NUMBERS = {
  times: [1, 1_000_000],
  probability: [0, 1],
  retryAfterSeconds: [1, 86_400],
  status: [400, 599],
  delayMs: [0, 600_000],
} as const;

function numbersOf(input: ControlInput): Partial<Fault> {
  const numbers: Record<string, number> = {};
  for (const [name, [least, most]] of Object.entries(NUMBERS)) {
    if (input[name] === undefined) continue;
    const value = asNumber(input[name]);
    const fits = value >= least && value <= most;
    if (!fits || (name !== 'probability' && !Number.isInteger(value))) {
      throw new ControlError(`"${name}" has to be a number from ${least} to ${most}.`);
    }
    numbers[name] = value;
  }
  return numbers;
}

export function addFault(sandbox: Steerable, input: ControlInput): unknown {
  const kind = text(input, 'kind') as FaultKind;
  if (!FAULT_KINDS.includes(kind)) {
    throw new ControlError(`"kind" has to be one of ${FAULT_KINDS.join(', ')}.`);
  }
  const method = optionalText(input, 'method');
  const fault: Fault = { kind, ...numbersOf(input), ...(method !== undefined && { method }) };
  if (input['bot'] !== undefined) fault.botId = botId(sandbox, input);
  return { id: sandbox.fault(fault) };
}
