import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { adminKey, type ServiceProcess } from '../../support/service-process.ts';

/** What a client of the API and of the metrics sees. */
export interface Measured {
  /**
   * Private and resident memory in MB and when, in hours: resident memory also counts the pages of the
   * database file that are mapped, which the system takes back when it needs them.
   */
  memory: { at: number; mb: number; residentMb: number }[];
  /** Times of API requests in ms. */
  reads: number[];
  sends: number[];
  failed: number;
  slowest: { path: string; ms: number };
  /** Minutes with requests that took longer than a second, and how busy the processors of the machine were. */
  slowMinutes: { minute: number; requests: number; busyPercent: number }[];
  /** The longest time in which the service did nothing else, in ms. */
  blockedMs: number;
  /** Processor time that the service took. */
  cpuSeconds: number;
}

export interface ApiWatch {
  stop(): Promise<Measured>;
}

const usualReads = ['/api/bots', '/api/routes', '/api/deliveries?bot_id=1', '/api/attention'];

/** Asks from a thread: the process of the tests is as busy as the service. */
export function watchApi({ address, pid }: ServiceProcess, reads = usualReads): ApiWatch {
  const worker = new Worker(new URL('./api-watch-worker.ts', import.meta.url), {
    workerData: { address, pid, key: adminKey, reads },
  });
  const measured = once(worker, 'message').then(([message]) => message as Measured);
  measured.catch(() => {});
  return {
    stop() {
      worker.postMessage('stop');
      return measured;
    },
  };
}
