import { Worker } from 'node:worker_threads';

interface Answer {
  id: number;
  rows?: unknown[];
  error?: string;
}

/** A read connection in a worker thread, started when first asked. */
export interface HeavyReader {
  read(sql: string, parameters: readonly unknown[]): Promise<unknown[]>;
  close(): Promise<void>;
}

export function createHeavyReader(file: string): HeavyReader {
  let worker: Worker | undefined;
  let nextId = 1;
  const waiting = new Map<
    number,
    { resolve: (rows: unknown[]) => void; reject: (error: Error) => void }
  >();

  function failAll(error: Error) {
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
    worker = undefined;
  }

  function start(): Worker {
    const started = new Worker(new URL('./heavy-reader-worker.ts', import.meta.url), {
      workerData: { file },
    });
    started.unref();
    started.on('message', (answer: Answer) => {
      const call = waiting.get(answer.id);
      if (!call) return;
      waiting.delete(answer.id);
      if (answer.rows) call.resolve(answer.rows);
      else call.reject(new Error(answer.error ?? 'the query failed'));
      if (waiting.size === 0) started.unref();
    });
    started.on('error', (error) => failAll(error as Error));
    started.on('exit', () => failAll(new Error('the database is closed')));
    return started;
  }

  return {
    read(sql, parameters) {
      worker ??= start();
      worker.ref();
      const id = nextId++;
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        worker?.postMessage({ id, sql, parameters });
      });
    },
    async close() {
      await worker?.terminate();
      worker = undefined;
    },
  };
}
