import { type Logger as PinoLogger, pino, stdSerializers } from 'pino';

export type Logger = PinoLogger;

/** Bot tokens and keys, wherever they turn up in a line. */
const secretPatterns: readonly [RegExp, string][] = [
  // Also right behind a letter, as in the platform's addresses: /bot123:…, or with its colon escaped.
  [/(?<!\d)\d{3,20}(?::|%3a)[a-z0-9_-]{8,}/gi, '[token]'],
  // A key that someone chose may hold more than ours do, such as the signs of base64.
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

/** Whatever else an error carries is left out: a database quotes whole rows in its details. */
function describeError(error: unknown) {
  if (!(error instanceof Error)) return { type: typeof error };
  const { type, message, stack, code } = stdSerializers.err(error);
  return { type, message, stack, ...(code === undefined ? {} : { code: code as unknown }) };
}

/**
 * Lines carry ids, codes and durations, never content. Redaction is the net under that: by field
 * name, and once more by pattern over the finished line, so that a token inside an error message
 * or an address cannot pass either.
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
