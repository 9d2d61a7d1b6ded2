import type { Logger } from '../logger.ts';
import type { BotState } from '../store/bot-runtime.ts';
import type { BotRecord } from '../store/bots.ts';
import { type PollerDeps, runPoller } from './poller.ts';
import type { WebhookIntake } from './webhook-intake.ts';
import { removeForeignWebhook, runWebhook, type WebhookDeps } from './webhook-registration.ts';

/** What changes the way a bot runs; everything else about it may change while it does. */
export type RunSettings = Pick<BotRecord, 'id' | 'token' | 'webhook_mode'>;

export interface BotRun {
  settings: RunSettings;
  /** Resolves once nothing is under way any more. */
  stop(): Promise<void>;
}

export interface BotRunDeps extends PollerDeps, WebhookDeps {
  intake: WebhookIntake;
  logger: Logger;
}

export interface BotRunReports {
  state(state: BotState, lastError: string): void;
  active(): void;
  /** Another node took the bot, or it was deleted. */
  lost(): void;
}

const afterBugMs = 5_000;

/** Begins to take a bot's updates in; it goes on by itself. */
export function startRun(
  deps: BotRunDeps,
  bot: RunSettings,
  epoch: number,
  reports: BotRunReports,
): BotRun {
  const { id: botId, token } = bot;
  const stopping = new AbortController();
  const { signal } = stopping;
  const report = (state: BotState, lastError: string) => {
    if (!signal.aborted) reports.state(state, lastError);
  };

  function takeIn(): Promise<'stopped' | 'refused' | 'lost'> {
    if (bot.webhook_mode) return runWebhook(deps, { botId, token, signal, report });
    return runPoller(deps, {
      botId,
      token,
      epoch,
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
        deps.logger.error({ err: error, bot: botId }, 'a bot failed in an unforeseen way');
        report('waiting', 'Something unforeseen failed, see the log; it is tried again.');
        await deps.clock.sleep(afterBugMs, signal).catch(() => {});
      }
    }
  }

  const done = keepGoing();
  return {
    settings: bot,
    stop() {
      stopping.abort(new Error('the bot is stopped'));
      return done;
    },
  };
}

export function sameRun(left: RunSettings, right: RunSettings): boolean {
  return left.token === right.token && left.webhook_mode === right.webhook_mode;
}
