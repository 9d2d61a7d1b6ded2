/** Returns a text that cannot be guessed. `crypto.randomUUID` exists only on https and localhost. */
export function randomText(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(24));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_');
}
