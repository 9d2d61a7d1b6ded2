/* The settings of a bot and of an app about pacing: how the relay keeps their calls below Telegram's limits. */

/** `off` passes every call at once, `on` holds and merges calls while their chat has to wait. */
export const pacingValues = ['off', 'on'] as const;
export type PacingValue = (typeof pacingValues)[number];

/** The number of seconds that a call is held. */
export const mostPatience = 60;
export const defaultPatience = 20;

export const pacingText =
  'on: after a 429, calls wait until their chat may send again, and edits of a message are merged. off: calls pass at once.';
export const patienceText = `With pacing on: seconds that a call is held before it gets 429, 0 to ${mostPatience}.`;
