/** The kinds of updates that are wanted after a position of the log. */
export interface AllowedUpdatesEntry {
  after: number;
  /** null means everything except kinds that must be named. */
  kinds: readonly string[] | null;
}
