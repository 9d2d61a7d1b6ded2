/*
 * Isolates user-provided names within texts. A right-to-left name would change the order of the
 * text around it, so it gets direction marks; other names stay as they are.
 */
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
const [fence, fenceEnd] = ['\u2068', '\u2069'];

export function isolated(text: string): string {
  return rightToLeft.test(text) ? `${fence}${text}${fenceEnd}` : text;
}

/** Returns the same texts; their sentences isolate the values put into them. */
export function isolating<Words extends object>(words: Words): Words {
  const entries = Object.entries(words).map(([name, value]: [string, unknown]) => [
    name,
    fenced(value),
  ]);
  return Object.fromEntries(entries) as Words;
}

function fenced(value: unknown): unknown {
  if (typeof value === 'function') {
    const say = value as (...given: unknown[]) => unknown;
    return (...given: unknown[]) =>
      say(...given.map((one) => (typeof one === 'string' ? isolated(one) : one)));
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return isolating(value);
}
