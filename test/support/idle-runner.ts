import type { BotRunner, BotStatus } from '../../src/core/ports.ts';

const stopped: BotStatus = {
  running: false,
  lastError: '',
  lastErrorDetail: null,
  lastActivity: 0,
  backendStatus: '',
  backendError: '',
  backendErrorDetail: null,
  backendSeenAt: 0,
  pendingUpdates: 0,
};

/** Runs no bot, and reports that. */
export function createIdleRunner(): BotRunner {
  return {
    apply: async () => {},
    retire: async () => {},
    statusOf: async (botIds) => new Map(botIds.map((id) => [id, stopped])),
  };
}
