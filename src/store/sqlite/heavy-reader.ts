/*
 * Runs long reads in worker threads, started when first needed.
 *
 * Nothing can stop a read that a thread has begun, so an endless one occupies its thread: the other
 * reads continue in the next thread, and a read that finds no thread in time fails.
 */
import { Worker } from 'node:worker_threads';
import { programFile } from '../../package-root.ts';
import { outage } from '../outage.ts';
import { asOutage } from './outage.ts';

interface Answer {
  rows?: unknown[];
  error?: { message: string; code?: string; errcode?: number };
}

export interface HeavyReader {
  read(sql: string, parameters: readonly unknown[]): Promise<unknown[]>;
  close(): Promise<void>;
}

export interface HeavyReaderOptions {
  threads?: number;
  /** A read waits this long for a thread. */
  waitMs?: number;
}

interface Call {
  sql: string;
  parameters: readonly unknown[];
  resolve: (rows: unknown[]) => void;
  reject: (error: unknown) => void;
}

interface Thread {
  worker: Worker;
  call: Call | undefined;
}

export function createHeavyReader(file: string, options: HeavyReaderOptions = {}): HeavyReader {
  const { threads: maxThreads = 2, waitMs = 10_000 } = options;
  const threads = new Set<Thread>();
  const waiting = new Map<Call, NodeJS.Timeout>();

  function start(): Thread {
    const worker = new Worker(programFile('store/sqlite/heavy-reader-worker'), {
      workerData: { file },
    });
    const thread: Thread = { worker, call: undefined };
    threads.add(thread);
    worker.on('message', ({ rows, error }: Answer) => {
      const { call } = thread;
      thread.call = undefined;
      if (rows) call?.resolve(rows);
      else call?.reject(asOutage(Object.assign(new Error(), error)));
      next(thread);
    });
    const fail = (error: unknown) => {
      threads.delete(thread);
      thread.call?.reject(error);
      thread.call = undefined;
    };
    worker.on('error', fail);
    worker.on('exit', () => fail(new Error('the database is closed')));
    return thread;
  }

  function next(thread: Thread): void {
    const [entry] = waiting;
    if (!entry) {
      thread.worker.unref();
      return;
    }
    const [call, timer] = entry;
    clearTimeout(timer);
    waiting.delete(call);
    run(thread, call);
  }

  function run(thread: Thread, call: Call): void {
    thread.call = call;
    thread.worker.ref();
    thread.worker.postMessage({ sql: call.sql, parameters: call.parameters });
  }

  function giveUp(call: Call): void {
    waiting.delete(call);
    call.reject(outage('crowded', new Error(`no thread was free for ${waitMs} ms`)));
  }

  return {
    read: (sql, parameters) =>
      new Promise((resolve, reject) => {
        const call: Call = { sql, parameters, resolve, reject };
        const idle = [...threads].find((thread) => !thread.call);
        if (idle) run(idle, call);
        else if (threads.size < maxThreads) run(start(), call);
        else waiting.set(call, setTimeout(giveUp, waitMs, call));
      }),
    async close() {
      const closed = new Error('the database is closed');
      for (const [call, timer] of waiting) {
        clearTimeout(timer);
        call.reject(closed);
      }
      waiting.clear();
      await Promise.all([...threads].map(({ worker }) => worker.terminate()));
    },
  };
}
