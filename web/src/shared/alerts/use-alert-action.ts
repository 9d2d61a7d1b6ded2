import type { AnyReason } from '../../../../src/core/reasons/shape.ts';
import { defaultApp } from '../../api/apps.ts';
import { checkBackend, replay, retryNow } from '../../api/deliveries.ts';
import { watchAttempts } from '../../api/follow-attempts.ts';
import type { AlertKind } from '../../api/alerts.ts';
import { startBot } from '../../api/bots.ts';
import { reasonWords } from '../../i18n/reasons.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useT } from '../../i18n/use-t.tsx';
import { isAnswer, oddAnswer } from '../backend-words.ts';
import { toast } from '../../ui/feedback/toast.tsx';
import { useAction } from '../use-action.ts';
import { useRetryToast } from '../use-retried.ts';

interface ActionResult {
  words: string;
  /** bad: the action did not help; idle: its result is not known yet. */
  tone?: 'bad' | 'idle';
}

export interface AlertAction {
  name: string;
  run: () => Promise<ActionResult | undefined>;
}

/** The fields that an action and a link need, in alerts of both endpoints. */
export interface AlertSubject {
  kind: AlertKind;
  bot_id: number;
  count: number;
  app?: string;
  route_id?: number;
  target_bot_id?: number;
  reason_detail?: AnyReason | null;
}

/**
 * Returns the one-click action of an alert; `name` is the name of its bot. Undefined if a person
 * must look first.
 */
export function useAlertAction(alert: AlertSubject, name: string): AlertAction | undefined {
  const t = useT();
  const { bot, overview, reasons } = t;
  const sayRetried = useRetryToast(name);
  const format = useFormat();
  const { app = defaultApp, bot_id: botId, kind } = alert;
  switch (kind) {
    case 'backend_down':
      return {
        name: overview.retryNow,
        async run() {
          // If the backend refused an update, only another update shows whether it accepts them.
          const deliver = alert.count === 0 && isAnswer(alert.reason_detail);
          const check = await checkBackend(botId, app, deliver);
          const { accepted, duration_ms, error, error_detail, reachable } = check;
          if (!reachable || accepted === false)
            return { words: reasonWords(error, error_detail, reasons), tone: 'bad' };
          if (alert.count === 0) {
            const odd = oddAnswer(check, t, format);
            if (odd !== '') return { words: t.common.labelled(bot.backend, odd), tone: 'idle' };
            return { words: bot.backendAnswers(format.duration(duration_ms)) };
          }
          // Updates may wait only in the log, behind the first delivery.
          return tried(async () => Math.max(1, (await retryNow(botId, app)).queues));
        },
      };
    case 'chats_in_retry':
      return {
        name: overview.retryNow,
        run: () => tried(async () => (await retryNow(botId, app)).queues),
      };
    case 'dead_letters':
      return {
        name: overview.replay,
        run: () => tried(async () => (await replay({ bot_id: botId, app, all_dead: true })).queued),
      };
    case 'bot_disabled':
      return { name: overview.enable, run: () => start(botId) };
    case 'route_to_disabled':
      return { name: overview.enableTarget, run: () => start(alert.target_bot_id ?? 0) };
    default:
      return undefined;
  }

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
