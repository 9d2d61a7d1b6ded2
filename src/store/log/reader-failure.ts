/*
 * Why a reader that one node runs does not move on: kept as its state, so that every node can tell.
 * The commit that moves it replaces it.
 */
export const failureState = (code: string): string => JSON.stringify({ failing: code });

/** The code, such as ENOSPC; empty while nothing fails. */
export const failureOf = (state: string): string =>
  state.startsWith('{"failing"') ? (JSON.parse(state) as { failing: string }).failing : '';
