import type { PushChanges } from '../../store/delivery/deliveries.ts';
import type { AnswerCall } from './answer-call.ts';

export type Changes = PushChanges<AnswerCall>;

export function noChanges(botId: number): Changes {
  return {
    botId,
    epoch: undefined,
    era: 0,
    cursor: { position: 0, state: '' },
    attempts: [],
    positions: new Map(),
    queues: new Map(),
    deadLetters: [],
    revived: [],
    calls: [],
    backend: undefined,
  };
}

/** Puts what could not be written back in front of what came since. */
export function mergeChanges(older: Changes, newer: Changes): Changes {
  return {
    ...newer,
    attempts: [...older.attempts, ...newer.attempts],
    positions: new Map([...older.positions, ...newer.positions]),
    queues: new Map([...older.queues, ...newer.queues]),
    deadLetters: [...older.deadLetters, ...newer.deadLetters],
    revived: [...older.revived, ...newer.revived],
    calls: [...older.calls, ...newer.calls],
    backend: newer.backend ?? older.backend,
  };
}
