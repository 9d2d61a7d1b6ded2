/** Which kinds of updates are wanted after a position of the log. */
export interface AllowedUpdatesEntry {
  after: number;
  /** null means everything but what has to be asked for by name. */
  kinds: readonly string[] | null;
}
