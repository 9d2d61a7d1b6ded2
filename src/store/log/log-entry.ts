/** One update as it was received. */
export interface StoredUpdate {
  position: number;
  updateId: number;
  kind: string;
  queue: string;
  receivedAt: number;
  raw: string;
}

/** One update in a bot's log. */
export interface LogEntry extends StoredUpdate {
  /** The app that gets the update, decided when it was stored; 0 if no app claimed it. */
  claimedBy: number;
}
