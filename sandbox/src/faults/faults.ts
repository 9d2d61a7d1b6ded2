import { type ApiFailure, ApiFailure as Failure, conflict, tooManyRequests } from '../api-error.ts';
import type { Random } from '../random.ts';

export const faultKinds = [
  'too_many_requests',
  'unauthorized',
  'conflict',
  'server_error',
  'truncated',
  'not_json',
  'slow',
  'reset_before',
  'reset_after',
  'duplicate_batch',
] as const;

export type FaultKind = (typeof faultKinds)[number];

export interface Fault {
  kind: FaultKind;
  /** All bots when absent. */
  botId?: number;
  /** All methods when absent. */
  method?: string;
  /** How many calls it affects; without limit if omitted. */
  times?: number;
  /** The probability of affecting a call, 0 to 1; always if omitted. */
  probability?: number;
  retryAfterSeconds?: number;
  status?: number;
  delayMs?: number;
}

export interface ActiveFault extends Fault {
  id: number;
  struck: number;
}

export interface Faults {
  add(fault: Fault): ActiveFault;
  remove(id: number): boolean;
  clear(botId?: number): void;
  list(): ActiveFault[];
  /** Returns the faults that affect this call, and counts each. */
  strike(botId: number, method: string): ActiveFault[];
}

export function createFaults(random: Random): Faults {
  const active = new Map<number, ActiveFault>();
  let nextId = 1;
  return {
    add(fault) {
      const added: ActiveFault = { ...fault, id: nextId++, struck: 0 };
      active.set(added.id, added);
      return added;
    },
    remove: (id) => active.delete(id),
    clear(botId) {
      for (const [id, fault] of active) {
        if (botId === undefined || fault.botId === botId) active.delete(id);
      }
    },
    list: () => [...active.values()],
    strike(botId, method) {
      if (active.size === 0) return [];
      const hits: ActiveFault[] = [];
      for (const fault of active.values()) {
        if (fault.botId !== undefined && fault.botId !== botId) continue;
        if (fault.method && fault.method.toLowerCase() !== method.toLowerCase()) continue;
        if (fault.probability !== undefined && random.next() >= fault.probability) continue;
        fault.struck += 1;
        if (fault.times !== undefined && fault.struck >= fault.times) active.delete(fault.id);
        hits.push(fault);
      }
      return hits;
    },
  };
}

/** The refusal a fault answers with instead of running the method. */
export function faultResponse(fault: Fault): ApiFailure | undefined {
  switch (fault.kind) {
    case 'too_many_requests':
      return tooManyRequests(fault.retryAfterSeconds ?? 5);
    case 'unauthorized':
      return new Failure(401, 'Unauthorized');
    case 'conflict':
      return conflict(
        'terminated by other getUpdates request; make sure that only one bot instance is running',
      );
    case 'server_error':
      return new Failure(
        fault.status ?? 500,
        serverErrors[fault.status ?? 500] ?? 'Internal Server Error',
      );
    default:
      return undefined;
  }
}

const serverErrors: Record<number, string> = {
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};
