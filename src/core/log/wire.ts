/** A JSON object from Telegram that is not validated yet. */
export type Wire = Record<string, unknown>;

export function object(value: unknown): Wire | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Wire)
    : undefined;
}

export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Parameters of forms and queries arrive as text, and lists as JSON in that text. */
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

/** Returns text that both engines can store: PostgreSQL refuses NUL, and neither stores lone surrogates. */
export function text(value: unknown): string {
  if (typeof value !== 'string') return '';
  const wellFormed = value.isWellFormed() ? value : value.toWellFormed();
  return wellFormed.includes('\0') ? wellFormed.replaceAll('\0', '\uFFFD') : wellFormed;
}
