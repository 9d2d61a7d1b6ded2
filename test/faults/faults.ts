import type { DialectName } from '../../src/store/engine.ts';
import { dialects } from '../support/database/engines.ts';
import { runFuzz, runFuzzWithSandbox } from './fuzz.ts';
import { runNodes } from './nodes.ts';
import type { FaultOptions, FaultResult } from './result.ts';
import { runSigkill } from './sigkill.ts';

export interface Fault {
  /** Its number, and its part where it has several: `--fault 3` runs all parts. */
  id: string;
  engines: readonly DialectName[];
  run(options: FaultOptions): Promise<FaultResult>;
}

export const faults: readonly Fault[] = [
  { id: '1', engines: dialects, run: runSigkill },
  // Nodes share a database only on PostgreSQL.
  { id: '4', engines: ['postgres'], run: runNodes },
  { id: '7-fuzz', engines: dialects, run: (options) => runFuzz(options) },
  { id: '7-sandbox', engines: ['sqlite'], run: runFuzzWithSandbox },
];
