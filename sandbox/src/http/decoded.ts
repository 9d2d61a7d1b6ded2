/** Decodes a part of a path; invalid escapes stay as they are. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
