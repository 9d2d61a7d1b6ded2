/** One update in a bot's log. */
export interface LogEntry {
  position: number;
  updateId: number;
  kind: string;
  queue: string;
  receivedAt: number;
  raw: string;
}
