import { RelayError } from '../../errors.ts';

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
// Connection exceptions, a server that shuts down or starts, one that has no place left, and one that
// gave up on a transaction of ours because this process was held up.
const states = /^(?:08...|57P0[123]|53300|25P03)$/;
// What the driver says where it gives no code.
const words = /^(?:Connection terminated|timeout e|Client (?:has encountered|was closed))/;
const retryAfterSeconds = 2;

/** The error as it is, unless it says that the database cannot be reached. */
export function asOutage(error: unknown): unknown {
  const { code = '', message = '' } = (error ?? {}) as { code?: unknown; message?: string };
  const isOutage =
    typeof code === 'string' && (network.has(code) || states.test(code) || words.test(message));
  if (!isOutage) return error;
  return new RelayError(
    'database_unavailable',
    'The database cannot be reached: try again in a few seconds. A change that was under way may have been made.',
    { retryAfterSeconds, cause: error },
  );
}
