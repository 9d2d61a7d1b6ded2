/** One person, one name: capital letters and look-alike forms make no second one. */
export function normalName(username: string): string {
  return username.normalize('NFKC').toLowerCase();
}
