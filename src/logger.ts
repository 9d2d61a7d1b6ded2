import { type Logger as PinoLogger, pino, stdSerializers } from 'pino';

export type Logger = PinoLogger;

/** Bot tokens and keys anywhere in a line. */
const secretPatterns: readonly [RegExp, string][] = [
  // This also matches right after a letter, as in Telegram's addresses: /bot123:…, or with an
  // escaped colon.
  [/(?<!\d)\d{3,20}(?::|%3a)[a-z0-9_-]{8,}/gi, '[token]'],
  // A key that someone chose may contain more characters than generated ones, such as those of
  // base64.
  [/\bbrs_[^\s"'\\<>]+/g, '[key]'],
  [/(postgres(?:ql)?:\/\/[^:@/\s]+):[^@/\s]+@/g, '$1:[password]@'],
];

export function redactText(text: string): string {
  let clean = text;
  for (const [pattern, replacement] of secretPatterns) clean = clean.replace(pattern, replacement);
  return clean;
}

const secretFields = [
  'token',
  'secret_token',
  'secret',
  'key',
  'api_key',
  'password',
  'authorization',
  'cookie',
  'text',
  'caption',
];

/** Leaves out everything else in an error: a database quotes whole rows in its details. */
function describeError(error: unknown) {
  if (!(error instanceof Error)) return { type: typeof error };
  const { type, message, stack, code } = stdSerializers.err(error);
  return { type, message, stack, ...(code === undefined ? {} : { code: code as unknown }) };
}

/**
 * Creates the logger. Lines contain IDs, codes and durations, never content. Redaction is a second
 * protection: by field name, and by pattern over the finished line, so that tokens inside error
 * messages and addresses are removed too.
 */
export function createLogger(options: { level: string; write?: (line: string) => void }): Logger {
  const write = options.write ?? ((line: string) => process.stderr.write(line));
  return pino(
    {
      level: options.level,
      base: null,
      serializers: { err: describeError },
      redact: {
        paths: secretFields.flatMap((field) => [field, `*.${field}`]),
        censor: '[redacted]',
      },
    },
    { write: (line: string) => void write(redactText(line)) },
  );
}
