/*
 * Does what nobody presses a button for: lets questions expire, asks groups that moved once more,
 * and calls the callback URLs of questions that ended. Every node does it; each step is taken in the
 * database by one of them.
 */
import type { Clock } from '../../clock.ts';
import { backoffMs } from '../../core/backoff.ts';
import type { Question } from '../../core/questions/question.ts';
import { questionView } from '../../core/questions/question-view.ts';
import { packReason } from '../../core/reasons/stored.ts';
import type { Store } from '../../store/store.ts';
import type { Background } from '../async/background.ts';
import { callWebhook, type WebhookDeps } from '../delivery/call-webhook.ts';

export interface QuestionKeeperDeps extends WebhookDeps {
  clock: Clock;
  random: () => number;
  store: Pick<Store, 'questions' | 'bots'>;
  background: Background;
  /** Calls are repeated for this long. */
  giveUpAfterMs: number;
  /** A question ended. */
  onEnded(question: Question): void;
  onQueued(botIds: ReadonlySet<number>): void;
  onError(error: unknown): void;
}

export interface QuestionKeeper {
  /** Runs until the signal aborts; resolves when it has ended. */
  run(signal: AbortSignal): Promise<void>;
  /** A question was asked, or has ended. */
  wake(): void;
}

/** Other nodes ask and answer, too, and clocks are set: the database is read this often. */
const lookEveryMs = 10_000;
const atOnce = 100;
/** Addresses that hang must not fill the memory of the node, nor delay the calls of other bots. */
const callsAtOnce = 200;
const callsOfBot = 10;
/** Longer than a call takes; after a crash, another node calls. */
const callLeaseMs = 60_000;
const callPauses = { firstMs: 2_000, maxMs: 2 * 60_000 };

export function createQuestionKeeper(deps: QuestionKeeperDeps): QuestionKeeper {
  const { clock } = deps;
  const { bots, questions } = deps.store;
  let wakeUp = () => {};
  let isWoken = false;
  /** How many calls of each bot are in flight. */
  const calling = new Map<number, number>();
  const inFlight = () => [...calling.values()].reduce((sum, count) => sum + count, 0);

  function wake(): void {
    isWoken = true;
    wakeUp();
  }

  async function expire(): Promise<boolean> {
    const overdue = await questions.overdue(clock.now(), atOnce);
    for (const { id } of overdue) {
      const ended = await questions.end({ id, state: 'expired', nowMs: clock.now() });
      if (ended) deps.onEnded(ended);
    }
    return overdue.length === atOnce;
  }

  async function askMoved(): Promise<boolean> {
    const botIds = await questions.askMoved(clock.now(), atOnce);
    deps.onQueued(new Set(botIds));
    return botIds.length === atOnce;
  }

  async function call(question: Question): Promise<void> {
    const bot = await bots.get(question.botId);
    if (!bot) return;
    const now = clock.now();
    const timestamp = new Date(question.endedAt).toISOString();
    const type = `question.${question.state}`;
    const body = JSON.stringify({ type, timestamp, data: questionView(question) });
    const address = { url: question.callbackUrl, key: bot.secret_token };
    const problem = await callWebhook(deps, address, { id: `ask_${question.id}`, body });
    if (!problem) return questions.called(question, { state: 'delivered', nextAt: 0, error: '' });
    const error = packReason(problem);
    const pauseMs = backoffMs(question.callbackAttempts, { random: deps.random, ...callPauses });
    const isOver = now - question.endedAt >= deps.giveUpAfterMs;
    await questions.called(
      question,
      isOver
        ? { state: 'failed', nextAt: 0, error }
        : { state: 'waiting', nextAt: clock.now() + pauseMs, error },
    );
  }

  /** Calls beside others; a bot whose calls are slow waits for them. */
  function start(question: Question): void {
    const { botId } = question;
    const count = (change: number) => {
      const left = (calling.get(botId) ?? 0) + change;
      if (left === 0) calling.delete(botId);
      else calling.set(botId, left);
    };
    count(1);
    const done = () => {
      count(-1);
      wake();
    };
    deps.background.run(() => call(question).finally(done), deps.onError);
  }

  async function look(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await expire()));
    while (!signal.aborted && (await askMoved()));
    const free = callsAtOnce - inFlight();
    if (free <= 0) return;
    const now = clock.now();
    const busy = [...calling].filter(([, count]) => count >= callsOfBot).map(([botId]) => botId);
    const due = await questions.takeCalls(now, now + callLeaseMs, {
      limit: Math.min(free, atOnce),
      ofBot: callsOfBot,
      busy,
    });
    due.forEach(start);
  }

  async function wait(ms: number, signal: AbortSignal): Promise<void> {
    const woken = new AbortController();
    wakeUp = () => woken.abort(new Error('woken'));
    if (!isWoken) await clock.sleep(ms, AbortSignal.any([signal, woken.signal])).catch(() => {});
    wakeUp = () => {};
    isWoken = false;
  }

  return {
    async run(signal) {
      while (!signal.aborted) {
        let pauseMs = lookEveryMs;
        try {
          await look(signal);
          const nextAt = await questions.nextAt();
          // A call that ends wakes it, so what waits for one need not be looked for at once.
          const leastMs = calling.size > 0 ? 1_000 : 100;
          if (nextAt !== 0)
            pauseMs = Math.min(lookEveryMs, Math.max(leastMs, nextAt - clock.now()));
        } catch (error) {
          if (!signal.aborted) deps.onError(error);
        }
        await wait(pauseMs, signal);
      }
    },
    wake,
  };
}
