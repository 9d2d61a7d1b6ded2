import type { Output } from './output.ts';

const drainMs = 5_000;

/** Stops everything, then ends the process even when something still runs. */
export async function endWithin(close: () => Promise<void>, output: Output): Promise<void> {
  const timer = setTimeout(() => {
    output.note('bot-relay: shutdown took over 5 s, exiting');
    process.exit(1);
  }, drainMs);
  // On a new line: the terminal has just shown ^C.
  if (output.watched) output.line('\nStopping …');
  await close();
  if (output.watched) output.line('Stopped.');
  clearTimeout(timer);
  // A timer or an idle connection must not keep a stopped process alive.
  setTimeout(() => process.exit(), 200).unref();
}
