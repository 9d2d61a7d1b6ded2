/** Drops keys whose value is undefined, so that optional fields are absent rather than empty. */
export function defined<T extends object>(value: { [K in keyof T]: T[K] | undefined }): T {
  const result = value as Record<string, unknown>;
  for (const key in result) if (result[key] === undefined) delete result[key];
  return result as T;
}
