/*
 * The metrics of the relay for /metrics. Bots have series of their own only if that is configured,
 * and only the first bots that count anything; the others share one.
 */
import { type QuestionEnd, questionEnds } from '../questions/question.ts';
import { type Buckets, cellsOf, type Counter, type Labels, type Meter } from './meter.ts';
import { createPacingMetrics, type PacingMetrics } from './pacing-metrics.ts';

/** The outcomes of a delivery attempt; rejected means that the backend answered with an error status. */
export const deliveryOutcomes = ['delivered', 'rejected', 'timeout', 'unreachable'] as const;
export type DeliveryOutcomeLabel = (typeof deliveryOutcomes)[number];

export const sendStates = ['sent', 'failed', 'unknown'] as const;
export type SendStateLabel = (typeof sendStates)[number];

/** How the send of a broadcast to a chat ended. */
export const broadcastEnds = ['sent', 'blocked', 'gone', 'failed', 'unknown'] as const;
export type BroadcastEnd = (typeof broadcastEnds)[number];

export type LeaseChange = 'taken' | 'lost' | 'released';

/** The number of bots with series of their own; the others are counted under `otherBots`. */
export const mostBots = 200;
export const otherBots = 'other';
export interface RelayMetrics extends PacingMetrics {
  /** Counts the updates of one commit, `latencyMs` after they were received. */
  received(botId: number, updates: number, latencyMs: number): void;
  /** `latencyMs` is the time since the update was received; left out for a failure or a replay. */
  attempted(
    botId: number,
    outcome: DeliveryOutcomeLabel,
    durationMs: number,
    latencyMs?: number,
  ): void;
  sendEnded(botId: number, state: SendStateLabel): void;
  broadcastEnded(state: BroadcastEnd): void;
  questionEnded(state: QuestionEnd): void;
  sendWaited(ms: number): void;
  /** Telegram answered 429. */
  rateLimited(): void;
  decided(outcome: string): void;
  /** A pattern reached its time limit and was left undecided for an update. */
  patternUndecided(of: 'app' | 'route'): void;
  modelAnswered(durationMs: number, tokens: { input: number; output: number }): void;
  modelFailed(durationMs: number): void;
  leasesChanged(change: LeaseChange, bots: number): void;
  committed(ms: number): void;
  eventLoopDelayed(ms: number): void;
  /** The label of a bot in series per bot; '' if bots have no series of their own. */
  botLabel(botId: number): string;
}

const quick: Buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];
const slow: Buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/** These series exist from the start, so that a rate is known from the first event on. */
const decisionOutcomes = ['routed', 'dropped', 'returned', 'none', 'failed'];

interface BotCells {
  label: string;
  received: Counter;
  deliveries: Record<DeliveryOutcomeLabel, Counter>;
  sends: Record<SendStateLabel, Counter>;
}

export function createRelayMetrics(meter: Meter, options: { bots: boolean }): RelayMetrics {
  const received = meter.counter('relay_updates_received_total', 'Updates received and stored.');
  const deliveries = meter.counter(
    'relay_deliveries_total',
    'Attempts to deliver an update to a backend, by outcome.',
  );
  const sends = meter.counter('relay_sends_total', 'Sends that ended, by state.');
  const broadcasts = meter.counter(
    'relay_broadcast_messages_total',
    'Messages of broadcasts, by result.',
  );
  const byEnd = cellsOf(broadcasts, 'state', broadcastEnds);
  const questions = meter.counter(
    'relay_questions_total',
    'Questions to people that ended, by state.',
  );
  const byQuestionEnd = cellsOf(questions, 'state', questionEnds);
  const timed = (name: string, help: string, buckets: Buckets) =>
    meter.histogram(name, help, buckets).add();
  const intakeTime = timed(
    'relay_intake_duration_seconds',
    'Time from receiving an update until it is on disk.',
    quick,
  );
  const deliveryTime = timed(
    'relay_delivery_duration_seconds',
    'Time from receiving an update until a backend accepts it, without replays.',
    slow,
  );
  const attemptTime = timed(
    'relay_delivery_attempt_duration_seconds',
    'Time a backend takes to answer a delivery.',
    slow,
  );
  const sendWait = timed(
    'relay_send_wait_seconds',
    'Time a send waits for its turn: rate limits, and earlier messages of its chat.',
    slow,
  );
  const rateLimited = meter
    .counter('relay_telegram_rate_limited_total', 'Calls that Telegram answered with 429.')
    .add();
  const decisions = meter.counter(
    'relay_routing_decisions_total',
    'Updates that routing decided on, by outcome.',
  );
  const undecided = meter.counter(
    'relay_patterns_undecided_total',
    'Patterns of apps and routes that took too long for an update and were left undecided.',
  );
  const byOwner = cellsOf(undecided, 'of', ['app', 'route']);
  const byDecision = cellsOf(decisions, 'outcome', decisionOutcomes);
  const modelCalls = meter.counter('relay_model_calls_total', 'Calls of the language model.');
  const byAnswer = cellsOf(modelCalls, 'outcome', ['answered', 'failed']);
  const modelTokens = meter.counter('relay_model_tokens_total', 'Tokens of the language model.');
  const byDirection = cellsOf(modelTokens, 'direction', ['input', 'output']);
  const modelTime = timed(
    'relay_model_call_duration_seconds',
    'Time the language model takes to answer.',
    slow,
  );
  const leases = meter.counter('relay_lease_changes_total', 'Leases of bots that changed.');
  const byChange = cellsOf(leases, 'change', ['taken', 'lost', 'released']);
  const commitTime = timed(
    'relay_database_commit_duration_seconds',
    'Time of a write transaction, from its start to the end of its commit.',
    quick,
  );
  const loopDelay = timed(
    'relay_event_loop_delay_seconds',
    'How late a timer of this process fires, sampled five times a second.',
    quick,
  );

  const cellsFor = (label: string, labels: Labels): BotCells => ({
    label,
    received: received.add(labels),
    deliveries: cellsOf(deliveries, 'outcome', deliveryOutcomes, labels),
    sends: cellsOf(sends, 'state', sendStates, labels),
  });
  const byBot = new Map<number, BotCells>();
  const total = options.bots ? undefined : cellsFor('', {});
  let others: BotCells | undefined;

  function cellsOfBot(botId: number): BotCells {
    if (total) return total;
    const known = byBot.get(botId);
    if (known) return known;
    if (byBot.size >= mostBots) return (others ??= cellsFor(otherBots, { bot_id: otherBots }));
    const label = String(botId);
    const cells = cellsFor(label, { bot_id: label });
    byBot.set(botId, cells);
    return cells;
  }

  return {
    ...createPacingMetrics(meter, otherBots),
    received(botId, updates, latencyMs) {
      cellsOfBot(botId).received.value += updates;
      intakeTime.observe(Math.max(0, latencyMs) / 1_000, updates);
    },
    attempted(botId, outcome, durationMs, latencyMs) {
      cellsOfBot(botId).deliveries[outcome].value += 1;
      attemptTime.observe(durationMs / 1_000);
      if (latencyMs !== undefined) deliveryTime.observe(Math.max(0, latencyMs) / 1_000);
    },
    sendEnded(botId, state) {
      cellsOfBot(botId).sends[state].value += 1;
    },
    broadcastEnded: (state) => {
      byEnd[state].value += 1;
    },
    questionEnded: (state) => {
      byQuestionEnd[state].value += 1;
    },
    sendWaited: (ms) => sendWait.observe(Math.max(0, ms) / 1_000),
    rateLimited() {
      rateLimited.value += 1;
    },
    decided(outcome) {
      const cell = (byDecision[outcome] ??= decisions.add({ outcome }));
      cell.value += 1;
    },
    patternUndecided(of) {
      byOwner[of].value += 1;
    },
    modelAnswered(durationMs, { input, output }) {
      byAnswer.answered.value += 1;
      byDirection.input.value += input;
      byDirection.output.value += output;
      modelTime.observe(durationMs / 1_000);
    },
    modelFailed(durationMs) {
      byAnswer.failed.value += 1;
      modelTime.observe(durationMs / 1_000);
    },
    leasesChanged(change, bots) {
      byChange[change].value += bots;
    },
    committed: (ms) => commitTime.observe(ms / 1_000),
    eventLoopDelayed: (ms) => loopDelay.observe(Math.max(0, ms) / 1_000),
    botLabel: (botId) => cellsOfBot(botId).label,
  };
}
