/** The document with all references resolved. */
export function withoutNames<T>(document: T): T {
  const partOf = ($ref: string): unknown =>
    $ref
      .split('/')
      .slice(1)
      .reduce<unknown>((part, name) => (part as Record<string, unknown>)[name], document);
  const resolved = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolved);
    if (value === null || typeof value !== 'object') return value;
    const { $ref, ...rest } = value as Record<string, unknown>;
    const own = Object.fromEntries(
      Object.entries(rest).map(([name, part]) => [name, resolved(part)]),
    );
    return typeof $ref === 'string' ? { ...(resolved(partOf($ref)) as object), ...own } : own;
  };
  return resolved(document) as T;
}
