/** Gives one name per person: capital letters and look-alike forms make no second one. */
export function normalName(username: string): string {
  return username.normalize('NFKC').toLowerCase();
}
