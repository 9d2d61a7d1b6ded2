import type { Engine } from '../../../src/store/engine.ts';

export interface Gate {
  /** Resolves when the call came that waits here. */
  reached: Promise<void>;
  open(): void;
}

export interface GatedEngine {
  engine: Engine;
  /** The next read of such a statement has its answer, and is kept waiting before it gets it. */
  holdAnswer(words: string): Gate;
  /** The next read of such a statement fails. */
  failAnswer(words: string): void;
  /** The next write is kept waiting before it begins. */
  holdWrite(): Gate;
}

/** A real engine whose chosen calls wait for the test, which decides the order. */
export function gateEngine(engine: Engine): GatedEngine {
  let answers: { words: string; pass: () => Promise<void> }[] = [];
  let writes: (() => Promise<void>)[] = [];

  function gate(): Gate & { pass(): Promise<void> } {
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
    const { promise: opened, resolve: open } = Promise.withResolvers<void>();
    return {
      reached,
      open,
      pass() {
        reach();
        return opened;
      },
    };
  }

  async function held<T>(sql: string, answer: Promise<T>): Promise<T> {
    const found = answers.find(({ words }) => sql.includes(words));
    if (!found) return answer;
    answers = answers.filter((one) => one !== found);
    const known = await answer;
    await found.pass();
    return known;
  }

  const gated: Engine = {
    ...engine,
    get reserved() {
      return gated;
    },
    get leases() {
      return gated;
    },
    readRaw: <T>(sql: string, parameters?: readonly unknown[]) =>
      held(sql, engine.readRaw<T>(sql, parameters)),
    async write(job) {
      const [pass, ...others] = writes;
      writes = others;
      await pass?.();
      return engine.write(job);
    },
  };
  return {
    engine: gated,
    holdAnswer(words) {
      const made = gate();
      answers.push({ words, pass: made.pass });
      return made;
    },
    failAnswer(words) {
      answers.push({ words, pass: () => Promise.reject(new Error('the database went away')) });
    },
    holdWrite() {
      const made = gate();
      writes.push(made.pass);
      return made;
    },
  };
}
