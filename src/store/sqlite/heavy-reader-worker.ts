import { parentPort, workerData } from 'node:worker_threads';
import { openConnection } from './connection.ts';

const { file } = workerData as { file: string };
const connection = openConnection(file, { readOnly: true });

parentPort?.on('message', (call: { sql: string; parameters: unknown[] }) => {
  try {
    // Rows have no prototype, which structured clone keeps as plain objects.
    const { rows } = connection.run(call.sql, call.parameters);
    parentPort?.postMessage({ rows });
  } catch (thrown) {
    const { message, code, errcode } = thrown as Error & { code?: string; errcode?: number };
    parentPort?.postMessage({ error: { message, code, errcode } });
  }
});
