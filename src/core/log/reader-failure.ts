/*
 * Stores the reason why a reader that one node runs does not move on as its state, so that every
 * node can report it. The commit that moves the reader replaces it.
 */
export const failureState = (code: string): string => JSON.stringify({ failing: code });

/** The code, such as ENOSPC; empty if nothing fails. */
export const failureOf = (state: string): string =>
  state.startsWith('{"failing"') ? (JSON.parse(state) as { failing: string }).failing : '';
