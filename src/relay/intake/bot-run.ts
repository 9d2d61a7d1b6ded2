import { type Reason, reason } from '../../core/reasons/reason.ts';
import type { Logger } from '../../logger.ts';
import type { BotState } from '../../store/cluster/bot-runtime.ts';
import type { BotRecord } from '../../store/bots/bots.ts';
import { nameBot, type NamingDeps } from './name-bot.ts';
import { type PollerDeps, runPoller } from './poller.ts';
import type { WebhookIntake } from './webhook-intake.ts';
import { removeForeignWebhook, runWebhook, type WebhookDeps } from './webhook-registration.ts';

/** The settings that change the way a bot runs; everything else may change while it runs. */
export type RunSettings = Pick<BotRecord, 'id' | 'token' | 'webhook_mode' | 'username'>;

export interface BotRun {
  settings: RunSettings;
  /** Resolves once nothing is in flight. */
  stop(): Promise<void>;
}

export interface BotRunDeps extends PollerDeps, WebhookDeps, NamingDeps {
  intake: WebhookIntake;
  logger: Logger;
}

export interface BotRunReports {
  state(state: BotState, lastError: Reason | null): void;
  active(): void;
  /** Another node took the bot, or it was deleted. */
  lost(): void;
  /** The platform told who the bot is. */
  named(): void;
}

const afterBugMs = 5_000;
const stopped = new Error('the bot is stopped');

/** Begins to take in a bot's updates, and continues in the background. */
export function startRun(
  deps: BotRunDeps,
  bot: RunSettings,
  leaseEpoch: number,
  reports: BotRunReports,
): BotRun {
  const { id: botId, token } = bot;
  const stopping = new AbortController();
  const { signal } = stopping;
  let naming: Promise<void> | undefined;
  const report = (state: BotState, lastError: Reason | null) => {
    if (signal.aborted) return;
    reports.state(state, lastError);
    // The bot was added while the platform could not be asked, which is possible again.
    if (bot.username === '' && (state === 'polling' || state === 'webhook')) {
      naming ??= nameBot(deps, { botId, token }, signal).then((isNews) => {
        if (isNews) reports.named();
      });
    }
  };

  function takeIn(): Promise<'stopped' | 'refused' | 'lost'> {
    if (bot.webhook_mode) return runWebhook(deps, { botId, token, signal, report });
    return runPoller(deps, {
      botId,
      token,
      leaseEpoch,
      signal,
      report,
      active: reports.active,
      async removeWebhook() {
        const note = await removeForeignWebhook(deps, { botId, token }, signal);
        deps.intake.forget(botId);
        await deps.intake.idle(botId);
        return note;
      },
    });
  }

  async function keepGoing(): Promise<void> {
    while (!signal.aborted) {
      try {
        if ((await takeIn()) === 'lost' && !signal.aborted) reports.lost();
        return;
      } catch (error) {
        deps.logger.error({ err: error, bot: botId }, 'bot failed with an internal error');
        report('waiting', reason('intake_unforeseen'));
        await deps.clock.sleep(afterBugMs, signal).catch(() => {});
      }
    }
  }

  const done = keepGoing();
  return {
    settings: bot,
    async stop() {
      stopping.abort(stopped);
      await done;
      await naming;
    },
  };
}

export function sameRun(left: RunSettings, right: RunSettings): boolean {
  return left.token === right.token && left.webhook_mode === right.webhook_mode;
}
