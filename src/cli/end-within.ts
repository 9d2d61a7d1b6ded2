import type { Output } from './output.ts';

const drainMs = 5_000;

/** Ends what runs, and the process even when something lingers. */
export async function endWithin(close: () => Promise<void>, output: Output): Promise<void> {
  const timer = setTimeout(() => {
    output.note('bot-relay: shutdown took over 5 s, exiting');
    process.exit(1);
  }, drainMs);
  // On a line of its own: a terminal has just shown the ^C that was typed.
  if (output.watched) output.line('\nStopping …');
  await close();
  if (output.watched) output.line('Stopped.');
  clearTimeout(timer);
  // A timer or an idle connection must not keep a stopped program alive.
  setTimeout(() => process.exit(), 200).unref();
}
