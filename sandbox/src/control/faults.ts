import { asNumber } from '../methods/params.ts';
import { ControlError } from '../api-error.ts';
import { botId, type ControlInput, optionalText, textField } from './input.ts';
import { faultKinds, type Fault, type FaultKind } from '../faults/faults.ts';
import type { SandboxControls } from '../controls.ts';

/** Numbers of a fault, by each name they have, and what each may be. */
const numberFields: readonly [name: string, field: keyof Fault, least: number, most: number][] = [
  ['times', 'times', 1, 1_000_000],
  ['probability', 'probability', 0, 1],
  ['retry_after_seconds', 'retryAfterSeconds', 1, 86_400],
  ['retryAfterSeconds', 'retryAfterSeconds', 1, 86_400],
  ['status', 'status', 400, 599],
  ['delay_ms', 'delayMs', 0, 600_000],
  ['delayMs', 'delayMs', 0, 600_000],
];

function numbersOf(input: ControlInput): Partial<Fault> {
  const numbers: Record<string, number> = {};
  for (const [name, field, least, most] of numberFields) {
    if (input[name] === undefined) continue;
    const value = asNumber(input[name]);
    const fits = value >= least && value <= most;
    if (!fits || (name !== 'probability' && !Number.isInteger(value))) {
      throw new ControlError('not_in_range', { field: name, least, most });
    }
    numbers[field] = value;
  }
  return numbers;
}

/** With the names that the rest of the interface has, and the older ones. */
export function listFaults(sandbox: SandboxControls) {
  return sandbox.faults.list().map((fault) => ({
    ...fault,
    ...(fault.botId !== undefined && { bot_id: fault.botId }),
    ...(fault.delayMs !== undefined && { delay_ms: fault.delayMs }),
    ...(fault.retryAfterSeconds !== undefined && { retry_after_seconds: fault.retryAfterSeconds }),
  }));
}

export function addFault(sandbox: SandboxControls, input: ControlInput): unknown {
  const kind = textField(input, 'kind') as FaultKind;
  if (!faultKinds.includes(kind)) {
    throw new ControlError('kind_wrong', { kinds: faultKinds });
  }
  const method = optionalText(input, 'method');
  const fault: Fault = { kind, ...numbersOf(input), ...(method !== undefined && { method }) };
  if (input['bot'] !== undefined) fault.botId = botId(sandbox, input);
  return { id: sandbox.fault(fault) };
}
