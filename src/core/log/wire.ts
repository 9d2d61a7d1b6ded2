/** A JSON object of the platform, of which nothing is taken for granted. */
export type Wire = Record<string, unknown>;

export function object(value: unknown): Wire | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Wire)
    : undefined;
}

export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Parameters of forms and queries arrive as text, lists as JSON in it. */
export function listParameter(value: unknown): unknown[] {
  if (typeof value !== 'string') return list(value);
  try {
    return list(JSON.parse(value));
  } catch {
    return [];
  }
}

export function integer(value: unknown): number | undefined {
  return Number.isSafeInteger(value) ? (value as number) : undefined;
}

/** Text that both engines can keep: PostgreSQL refuses NUL, and neither keeps lone surrogates. */
export function text(value: unknown): string {
  if (typeof value !== 'string') return '';
  const wellFormed = value.isWellFormed() ? value : value.toWellFormed();
  return wellFormed.includes('\0') ? wellFormed.replaceAll('\0', '\uFFFD') : wellFormed;
}
