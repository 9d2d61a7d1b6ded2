import { isOutage } from '../../errors.ts';
import { outage, type OutageKind } from '../outage.ts';

const network = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
/*
 * These are states of the server rather than faults of the statement: connection exceptions, a
 * standby, a transaction that was ended because this process was delayed or that lost to others,
 * missing resources, a lock that was not granted, an operator's or a deadline's intervention, and
 * errors of the system or of the server itself.
 */
const states = /^(?:08...|25006|25P0[34]|40...|53...|55P03|57...|58...|XX...)$/;
const kinds: Record<string, OutageKind> = {
  '25006': 'readOnly',
  '53100': 'full',
  '57014': 'deadline',
  '58030': 'disk',
};
// The driver's messages that come without a code.
const words = /^(?:Connection terminated|timeout e|Client (?:has encountered|was closed))/;

/** Returns the error itself, unless it means that the database cannot be used at present. */
export function asOutage(error: unknown): unknown {
  const { code = '', message = '' } = (error ?? {}) as { code?: unknown; message?: string };
  if (typeof code !== 'string') return error;
  const isAway = network.has(code) || states.test(code) || words.test(message);
  return isAway ? outage(kinds[code] ?? 'unreachable', error) : error;
}

/**
 * True if the server rolled back because of one statement: it met another transaction, a lock held
 * too long, or a broken row.
 */
export function isOfOneStatement(error: unknown): boolean {
  const { code } = (isOutage(error) ? error.cause : error) as { code?: unknown };
  return typeof code === 'string' && /^(?:40...|55P03|57014|XX...)$/.test(code);
}
