/* Tells what is known about one message, step by step, in the order in which it happened to it. */
import { defaultApp } from '../../core/apps/app.ts';
import { isoTime } from '../../core/iso-time.ts';
import type { Author } from '../../core/messages/author.ts';
import { type Reason, reason, verbatim } from '../../core/reasons/reason.ts';
import { type ReadReason, readReason } from '../../core/reasons/stored.ts';
import type { TracedAttempt } from '../../store/messages/message-traces.ts';
import type { MessageRow } from '../../store/messages/messages.ts';
import { readAuthor } from '../../core/messages/author.ts';
import type { DecisionView } from '../routing/routing-service.ts';
import { type Receiver, stateOfSend, type TracedUpdate } from './trace-updates.ts';

export const stepKinds = [
  'received',
  'sent',
  'stored',
  'claimed',
  'routing',
  'route',
  'send',
  'attempt',
  'delivery',
  'reading',
  'reply',
] as const;

/** done: without a result that could fail. removed: retention deleted what was stored. */
export const stepStates = ['done', 'delivered', 'waiting', 'failed', 'removed'] as const;

export interface TimelineStep {
  kind: (typeof stepKinds)[number];
  state: (typeof stepStates)[number];
  /** ISO time; '' if not known. */
  at: string;
  text: string;
  detail: Reason | null;
  /** Why, if there is more to say. */
  why?: ReadReason;
  author?: Author;
  /** Another message that the step is about. */
  target?: { bot_id: number; chat_id: number; message_id: number };
  action?: StepAction;
}

export type StepAction =
  | { type: 'retry_now'; app: string; queue: string }
  | { type: 'replay'; app: string; dead_letter_id: number }
  | { type: 'send_again'; send_id: number }
  | { type: 'edit_route'; route_id: number };

type More = Partial<Omit<TimelineStep, 'kind' | 'state' | 'text' | 'detail'>>;

const step = (
  kind: TimelineStep['kind'],
  state: TimelineStep['state'],
  what: Reason,
  { at = '', ...more }: More = {},
): TimelineStep => ({ kind, state, at, ...readReason(what), ...more });

/** The last attempts are shown, and the first of everything else. */
export const mostShown = { attempts: 20, matches: 50, receivers: 100, replies: 20 };

export function stepsOfOrigin(
  row: MessageRow,
  traced: TracedUpdate | undefined,
  source: TimelineStep['target'],
): TimelineStep[] {
  const at = isoTime(row.date * 1000);
  const steps: TimelineStep[] = [];
  if (row.origin !== 'received') {
    const author = readAuthor(row.author);
    const what = author ? reason('step_sent_by', named(author)) : reason('step_sent');
    steps.push(step('sent', 'delivered', what, { at, ...(author ? { author } : {}) }));
    if (source)
      steps.push(step('sent', 'done', reason('step_carries', source), { target: source }));
    return steps;
  }
  if (!traced) {
    return [
      step('received', 'done', reason('step_received', { kind: 'message' }), { at }),
      step('stored', 'removed', reason('step_position_unknown')),
    ];
  }
  const { entry, position } = traced;
  const kind = entry?.kind ?? 'message';
  steps.push(step('received', 'done', reason('step_received', { kind }), { at }));
  steps.push(
    entry
      ? step('stored', 'done', reason('step_stored', { position }), {
          at: isoTime(entry.receivedAt),
        })
      : step('stored', 'removed', reason('step_removed', { position })),
  );
  return steps;
}

export function stepsOfClaim(
  { entry }: TracedUpdate,
  nameOf: (appId: number) => string | undefined,
): TimelineStep[] {
  if (!entry || entry.claimedBy === 0) return [];
  const at = isoTime(entry.receivedAt);
  if (entry.claimedBy < 0)
    return [step('claimed', 'done', reason('step_claimed_by_relay'), { at })];
  const app = nameOf(entry.claimedBy);
  const what =
    app === undefined ? reason('step_claimed_by_deleted') : reason('step_claimed', { app });
  return [step('claimed', 'done', what, { at })];
}

export function stepsOfRouting({ decision, waitsForRoutes }: TracedUpdate): TimelineStep[] {
  if (!decision)
    return waitsForRoutes ? [step('routing', 'waiting', reason('step_routes_wait'))] : [];
  const { outcome, created_at: at } = decision;
  const state = outcome === 'failed' ? 'failed' : outcome === 'asking' ? 'waiting' : 'done';
  const why = { text: decision.reason, detail: decision.reason_detail };
  return [
    step('routing', state, reason('step_routes', { outcome }), { at, why }),
    ...decision.matched.slice(0, mostShown.matches).flatMap((match) => stepsOfMatch(match, at)),
  ];
}

/** No model chose where these go. */
const actionsOfDesk = new Set(['desk', 'answer', 'react', 'delete']);

function stepsOfMatch(match: DecisionView['matched'][number], at: string): TimelineStep[] {
  const { route_id, target_bot_id: bot_id, target_chat_id: chat_id, result, sends } = match;
  const isSent = result === 'queued';
  if ((isSent || result === 'dropped') && actionsOfDesk.has(match.action)) {
    const steps = [step('route', 'done', match.reason_detail ?? verbatim(match.reason), { at })];
    if (match.waits_for_desk)
      return [...steps, step('send', 'waiting', reason('step_desk_waits'), { at })];
    if (isSent && sends.length === 0)
      steps.push(step('send', 'removed', reason('step_desk_unknown')));
    return [...steps, ...sends.map((send) => stepOfSend({ ...send, bot_id, chat_id }))];
  }
  const what =
    route_id === 0 ? reason('step_chosen', { bot_id }) : reason('step_route', { route_id });
  const why = isSent
    ? { text: match.reason, detail: match.reason_detail ?? null }
    : { text: match.result, detail: match.result_detail };
  const steps = [
    step('route', isSent || match.result === 'dropped' ? 'done' : 'failed', what, {
      at,
      why,
      ...(route_id === 0 ? {} : { action: { type: 'edit_route', route_id } as const }),
    }),
  ];
  if (isSent && sends.length === 0) {
    steps.push(step('send', 'removed', reason('step_send_removed')));
  }
  for (const send of sends) steps.push(stepOfSend({ ...send, bot_id, chat_id }));
  return steps;
}

export function stepOfSend(send: {
  id: number;
  state: string;
  bot_id: number;
  chat_id: number;
  message_id: number;
  error: string;
  error_detail: Reason | null;
  updated_at: string;
}): TimelineStep {
  const { id, state, bot_id, chat_id, message_id, error, error_detail, updated_at: at } = send;
  const isStuck = state === 'failed' || state === 'unknown';
  return step('send', stateOfSend(state), reason('step_send', { state, bot_id, chat_id }), {
    at,
    ...(error === '' ? {} : { why: { text: error, detail: error_detail } }),
    ...(message_id === 0 || bot_id === 0 ? {} : { target: { bot_id, chat_id, message_id } }),
    ...(isStuck ? { action: { type: 'send_again', send_id: id } as const } : {}),
  });
}

/** Shows the attempts of a backend and then what became of the update there. */
export function stepsOfReceiver(
  receiver: Receiver,
  attempts: readonly TracedAttempt[],
): TimelineStep[] {
  const { app, kind, state, reader } = receiver;
  // Readers of the log store their position, not when they passed an update: these steps have no time.
  if (kind === 'pull') {
    const what =
      state === 'delivered' ? reason('step_read', { app }) : reason('step_not_read', { app });
    return [step('reading', state, what)];
  }
  const to = { app: app === defaultApp ? '' : app };
  const own = attempts.filter((attempt) => attempt.reader === reader);
  const tried = own.map((attempt) => {
    const { error, status, durationMs: ms } = attempt;
    const at = isoTime(attempt.startedAt);
    return error.text === ''
      ? step('attempt', 'delivered', reason('step_delivered', { ...to, status, ms }), { at })
      : step('attempt', 'failed', reason('step_attempt_failed', to), { at, why: error });
  });
  const ending = endingOf(receiver, own);
  return ending ? [...tried, ending] : tried;
}

function endingOf(
  { app, state, retry, deadLetter }: Receiver,
  attempts: readonly TracedAttempt[],
): TimelineStep | undefined {
  const to = { app: app === defaultApp ? '' : app };
  if (state === 'failed' && deadLetter) {
    const what = reason('step_dead', { ...to, attempts: deadLetter.attempts });
    const action = { type: 'replay', app, dead_letter_id: deadLetter.id } as const;
    const at = isoTime(deadLetter.diedAt);
    return step('delivery', 'failed', what, { at, why: deadLetter.reason, action });
  }
  if (state === 'delivered') {
    const isFound = attempts.some(({ error }) => error.text === '');
    return isFound ? undefined : step('delivery', 'delivered', reason('step_passed', to));
  }
  const next = retry && retry.nextAttemptAt > 0 ? { at: isoTime(retry.nextAttemptAt) } : {};
  const action = retry && ({ type: 'retry_now', app, queue: retry.queue } as const);
  return step('delivery', 'waiting', reason('step_delivery_waits', to), {
    ...next,
    ...(action ? { action } : {}),
  });
}

/** A route without a description is named by its ID. */
const named = ({ kind, id, name }: Author) => ({ kind, name: name || String(id || '') });

export const stepOfNobody = () => step('delivery', 'done', reason('step_nobody'));

export function stepOfReply(
  row: MessageRow,
  key: { bot_id: number; chat_id: number },
): TimelineStep {
  const author = row.origin === 'received' ? undefined : readAuthor(row.author);
  const name = [row.first_name, row.last_name].join(' ').trim() || row.username;
  const what =
    row.origin === 'received'
      ? reason('step_replied_by', { name })
      : author
        ? reason('step_answered_by', named(author))
        : reason('step_answered');
  return step('reply', 'done', what, {
    at: isoTime(row.date * 1000),
    ...(author ? { author } : {}),
    target: { ...key, message_id: row.id },
  });
}
