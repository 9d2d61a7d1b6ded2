import { parentPort, workerData } from 'node:worker_threads';
import { openConnection } from './connection.ts';

const { file } = workerData as { file: string };
const connection = openConnection(file, { readOnly: true });

parentPort?.on('message', (call: { id: number; sql: string; parameters: unknown[] }) => {
  try {
    // Rows have no prototype, which structured clone keeps as plain objects.
    const { rows } = connection.run(call.sql, call.parameters);
    parentPort?.postMessage({ id: call.id, rows });
  } catch (error) {
    parentPort?.postMessage({ id: call.id, error: (error as Error).message });
  }
});
