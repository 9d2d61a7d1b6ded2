import type { DialectName } from '../../src/store/engine.ts';
import { dialects } from '../support/database/engines.ts';
import { runAway, runBadBackends, runPoison } from './backends.ts';
import { runClock } from './clock.ts';
import { runDiskFull, runNoWrites, runReadOnlyDisk, runSlowFsync } from './disk.ts';
import { runFuzz, runFuzzWithSandbox } from './fuzz.ts';
import { runLeases } from './leases.ts';
import { runBusyMachine, runOverload, runSoak, runSoakOfApps } from './load.ts';
import { runNeighbour } from './neighbour.ts';
import { runNodes } from './nodes.ts';
import { runPgBouncer } from './pgbouncer.ts';
import { runBadPlatforms } from './platforms.ts';
import { runDead, runReadOnly, runRestart, runSlowReads, runStall } from './postgres.ts';
import type { FaultOptions, FaultResult } from './result.ts';
import { runSigkill } from './sigkill.ts';
import { runStandby } from './standby.ts';

export interface Fault {
  /** Its number, and its part where it has several: `--fault 3` runs all parts. */
  id: string;
  engines: readonly DialectName[];
  run(options: FaultOptions): Promise<FaultResult>;
}

export const faults: readonly Fault[] = [
  { id: '1', engines: dialects, run: runSigkill },
  { id: '2-away', engines: dialects, run: runAway },
  { id: '2-poison', engines: dialects, run: runPoison },
  { id: '2-backends', engines: dialects, run: runBadBackends },
  { id: '2-platforms', engines: dialects, run: runBadPlatforms },
  { id: '3-restart', engines: ['postgres'], run: runRestart },
  { id: '3-stall', engines: ['postgres'], run: runStall },
  { id: '3-dead', engines: ['postgres'], run: runDead },
  { id: '3-failover', engines: ['postgres'], run: runReadOnly },
  { id: '3-standby', engines: ['postgres'], run: runStandby },
  { id: '3-pgbouncer', engines: ['postgres'], run: runPgBouncer },
  { id: '3-slow-reads', engines: ['postgres'], run: runSlowReads },
  { id: '3-clock', engines: dialects, run: runClock },
  { id: '3-disk-full', engines: dialects, run: runDiskFull },
  { id: '3-read-only', engines: ['sqlite'], run: runReadOnlyDisk },
  { id: '3-no-writes', engines: ['sqlite'], run: runNoWrites },
  { id: '3-fsync', engines: dialects, run: runSlowFsync },
  // Nodes share a database only on PostgreSQL.
  { id: '4', engines: ['postgres'], run: runNodes },
  { id: '4-leases', engines: ['postgres'], run: runLeases },
  { id: '5', engines: dialects, run: runOverload },
  { id: '5-busy', engines: dialects, run: runBusyMachine },
  { id: '6', engines: dialects, run: runSoak },
  { id: '6-apps', engines: dialects, run: runSoakOfApps },
  { id: '7-fuzz', engines: dialects, run: (options) => runFuzz(options) },
  { id: '7-sandbox', engines: ['sqlite'], run: runFuzzWithSandbox },
  { id: '8', engines: dialects, run: runNeighbour },
];
