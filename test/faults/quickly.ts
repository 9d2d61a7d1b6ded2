import type { FaultOptions } from './result.ts';

/** The scale of faults inside `npm test`. */
export const quickly: Omit<FaultOptions, 'database' | 'createDatabase'> = {
  bots: 4,
  updates: 400,
  kills: 2,
  perSecond: 100,
  requests: 2_000,
  minutes: 1,
  pace: 0.2,
  seed: Number(process.env['FAULT_SEED'] ?? 20_261_116),
  say: () => {},
};
