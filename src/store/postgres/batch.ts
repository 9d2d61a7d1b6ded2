/*
 * Statements that go to the server together, so that they share a round trip. None that locks rows may
 * be followed by another: cut off before the Sync, the server would keep the locks.
 *
 * Invariant: the server runs them in order, and after one that fails it skips the others, a COMMIT
 * among them. The driver's own pipeline ends each statement with a Sync, and there the next one runs
 * whatever became of those before it.
 */
import pg from 'pg';

export interface Statement {
  text: string;
  values: unknown[];
  /** The server keeps its plan under this name. */
  name?: string | undefined;
  /** How long it may take once those before it are answered. */
  deadlineMs: number;
}

export type Answer = pg.QueryResult<Record<string, unknown>>;

/** What the driver's statements have and its types do not name; it asks the same of a batch. */
interface Query {
  name?: string | undefined;
  text: string;
  submit(wire: Wire): Error | null;
  handleRowDescription(message: unknown): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, wire: Wire): void;
  handleReadyForQuery(wire: Wire): void;
}

interface Wire {
  stream: { cork(): void; uncork(): void };
  submittedNamedStatements: Record<string, string>;
  sync(): void;
  flush(): void;
}

/** Resolves when all were answered; `onAnswer` is told of each. */
export function runBatch(
  client: pg.PoolClient,
  statements: readonly Statement[],
  types: pg.CustomTypesConfig,
  onAnswer: () => void,
): Promise<Answer[]> {
  return new Promise((resolve, reject) => {
    const done = (outcome: Answer[] | Error) =>
      outcome instanceof Error ? reject(outcome) : resolve(outcome);
    client.query(new Batch(statements, types, onAnswer, done) as unknown as pg.Submittable);
  });
}

class Batch {
  readonly #queries: readonly Query[];
  readonly #onAnswer: () => void;
  readonly #done: (outcome: Answer[] | Error) => void;
  readonly #answers: Answer[] = [];
  #answered = 0;
  /** Found here; the server knows nothing of it. */
  #failure: Error | undefined;

  constructor(
    statements: readonly Statement[],
    types: pg.CustomTypesConfig,
    onAnswer: () => void,
    done: (outcome: Answer[] | Error) => void,
  ) {
    this.#onAnswer = onAnswer;
    this.#done = done;
    const callback = (failure: Error | null, answer: Answer) => {
      if (failure) this.#failure ??= failure;
      else this.#answers.push(answer);
    };
    this.#queries = statements.map(({ text, values, name }) => {
      const config = { text, values, name, types, queryMode: 'extended', callback };
      return new pg.Query(config as pg.QueryConfig) as unknown as Query;
    });
  }

  /** Of the statement whose answer comes next: the driver notes by them what the server prepared. */
  get name(): string | undefined {
    return this.#queries[this.#answered]?.name;
  }

  get text(): string | undefined {
    return this.#queries[this.#answered]?.text;
  }

  submit(wire: Wire): null {
    // With a Flush each answer is sent when it is there, and not with the last one.
    const open = Object.create(wire, { sync: { value: () => wire.flush() } }) as Wire;
    wire.stream.cork();
    for (const query of this.#queries) {
      const refusal = query.submit(open);
      if (refusal) this.#failure ??= refusal;
      if (this.#failure) break;
    }
    wire.sync();
    wire.stream.uncork();
    return null;
  }

  handleRowDescription(message: unknown): void {
    this.#queries[this.#answered]?.handleRowDescription(message);
  }

  handleDataRow(message: unknown): void {
    this.#queries[this.#answered]?.handleDataRow(message);
  }

  handleCommandComplete(message: unknown, wire: Wire): void {
    const query = this.#queries[this.#answered++];
    query?.handleCommandComplete(message, wire);
    query?.handleReadyForQuery(wire);
    this.#onAnswer();
  }

  handleReadyForQuery(): void {
    this.#done(this.#failure ?? this.#answers);
  }

  handleError(error: Error, wire: Wire): void {
    for (const { name } of this.#queries.slice(this.#answered)) {
      if (name !== undefined) delete wire.submittedNamedStatements[name];
    }
    this.#done(this.#failure ?? error);
  }
}
