import { type AlertAction as ActionName, kindOf } from '../../api/alerts.ts';
import { defaultApp } from '../../api/apps.ts';
import { startBot } from '../../api/bots.ts';
import { checkBackend, replay, retryNow } from '../../api/deliveries.ts';
import { watchAttempts } from '../../api/follow-attempts.ts';
import { reasonWords } from '../../i18n/reasons.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useT } from '../../i18n/use-t.tsx';
import { oddAnswer } from '../backend-words.ts';
import { toast } from '../../ui/feedback/toast.tsx';
import { useAction } from '../use-action.ts';
import { useRetryToast } from '../use-retried.ts';
import { type AnyAlert, paramsOf } from './alert-words.ts';

interface ActionResult {
  words: string;
  /** bad: the action did not help; idle: its result is not known yet. */
  tone?: 'bad' | 'idle';
}

export interface AlertAction {
  name: string;
  run: () => Promise<ActionResult | undefined>;
}

/**
 * Returns the one-click action of an alert; `name` is the name of its bot. Undefined if a person
 * must look first.
 */
export function useAlertAction(alert: AnyAlert, name: string): AlertAction | undefined {
  const t = useT();
  const { bot, overview, reasons } = t;
  const sayRetried = useRetryToast(name);
  const format = useFormat();
  const { bot_id: botId, kind } = alert;
  const { app = defaultApp, count = 0, rejects = false, target_bot_id = 0 } = paramsOf(alert);
  const actions: Record<ActionName, AlertAction> = {
    retry: {
      name: overview.retryNow,
      async run() {
        // If the backend refused an update, only another update shows whether it accepts them.
        const check = await checkBackend(botId, app, count === 0 && rejects);
        const { accepted, duration_ms, error, error_detail, reachable } = check;
        if (!reachable || accepted === false)
          return { words: reasonWords(error, error_detail, reasons), tone: 'bad' };
        if (count === 0) {
          const odd = oddAnswer(check, t, format);
          if (odd !== '') return { words: t.common.labelled(bot.backend, odd), tone: 'idle' };
          return { words: bot.backendAnswers(format.duration(duration_ms)) };
        }
        // Updates may wait only in the log, behind the first delivery.
        return tried(async () => Math.max(1, (await retryNow(botId, app)).queues));
      },
    },
    replay: {
      name: overview.replay,
      run: () => tried(async () => (await replay({ bot_id: botId, app, all_dead: true })).queued),
    },
    enable_bot: { name: overview.enable, run: () => start(botId) },
    enable_target: { name: overview.enableTarget, run: () => start(target_bot_id) },
  };
  const { action } = kindOf(kind);
  return action && actions[action];

  /** The action reports its result itself. */
  async function tried(begin: () => Promise<number>): Promise<undefined> {
    sayRetried(await watchAttempts(botId, app, begin));
  }

  async function start(id: number): Promise<ActionResult> {
    await startBot(id);
    return { words: overview.started };
  }
}

/** `about` is the name of the bot. */
export function useRunAlertAction(action: AlertAction | undefined, about: string) {
  return useAction({
    run: async () => action?.run(),
    refreshes: [['attention'], ['alerts'], ['bots']],
    done(result) {
      if (result) toast(result.words, { about, tone: result.tone ?? 'ok' });
    },
  });
}
