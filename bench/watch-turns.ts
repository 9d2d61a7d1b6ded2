// Loaded into a service before its own code: on SIGUSR2 it writes the longest turn of the event loop
// since the last signal, in milliseconds, into the file that TURNS_FILE names.
import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const turns = monitorEventLoopDelay({ resolution: 1 });
turns.enable();
process.on('SIGUSR2', () => {
  writeFileSync(process.env['TURNS_FILE'] ?? '', `${turns.max / 1e6}`);
  turns.reset();
});
