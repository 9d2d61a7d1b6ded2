/** The parts of an update that both limits store. */
export interface Update {
  update_id: number;
  message: {
    message_id: number;
    date: number;
    text: string;
    entities: unknown;
    chat: { id: number };
    from: { id: number; username: string; first_name: string; last_name: string };
  };
}

/** The result of one poll: the updates, and each as it was received. */
export interface Batch {
  bot: number;
  updates: Update[];
  raws: string[];
}

export interface LimitStore {
  /** Stores everything in one commit, which is on disk when this resolves. */
  commit(batches: readonly Batch[]): void | Promise<void>;
  /** Stores the push position of each bot. */
  acknowledge?(positions: ReadonlyMap<number, number>): Promise<void>;
}
