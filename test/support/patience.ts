/**
 * How long a test waits for what should happen. Only a failing test waits that long, so it is far more
 * than a slow machine needs.
 */
export const patienceMs = 60_000;
