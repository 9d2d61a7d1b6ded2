import type { ConsumerRepository } from '../../store/apps/consumers.ts';
import { wants } from '../../core/log/consumer-state.ts';
import type { LogRepository } from '../../store/log/log.ts';
import type { LogEntry } from '../../store/log/log-entry.ts';
import type { LogView } from '../apps/app-readers.ts';
import type { UpdateLog } from '../log/update-log.ts';
import { type ConsumerPosition, confirmAllBut, confirmBelow } from './confirm.ts';
import { readAllowedUpdates, withAllowedUpdates } from './consumer-state.ts';
import { beginOfRun } from './run-begin.ts';

export interface PollRequest {
  botId: number;
  /** '' is the consumer that every bot library uses. */
  consumer: string;
  /**
   * The ID of the app that the client acts as, so that an app deleted meanwhile is not created
   * again by its name.
   */
  appId?: number;
  offset: number;
  /** Clamped to 1–100. */
  limit: number;
  /** Clamped to 0–50. */
  timeoutSeconds: number;
  /** The value as the client gave it; undefined keeps its previous choice. */
  allowedUpdates?: unknown;
  /** A negative offset drops nothing. This is the bot's setting; apps have their own. */
  keepsPending?: boolean;
  signal?: AbortSignal;
}

interface ApplyDeps {
  consumers: ConsumerRepository;
  log: Pick<LogRepository, 'head'>;
  updateLog: UpdateLog;
}

/** Returns where the consumer is once the kinds and the offset of a poll are applied. */
export async function applyRequest(
  deps: ApplyDeps,
  request: PollRequest,
  view: LogView,
  at: ConsumerPosition,
): Promise<ConsumerPosition> {
  const next = await afterRequest(deps, request, view, at);
  return next.position === at.position ? next : withNextRun(deps, request, view, next);
}

async function afterRequest(
  deps: ApplyDeps,
  { allowedUpdates, botId, keepsPending, offset }: PollRequest,
  view: LogView,
  at: ConsumerPosition,
): Promise<ConsumerPosition> {
  let next = at;
  const kinds = readAllowedUpdates(allowedUpdates);
  if (kinds !== undefined) {
    const { lastPosition } = await deps.log.head(botId);
    next = { ...next, state: withAllowedUpdates(next.state, kinds, lastPosition) };
  }
  if (offset > 0) return confirmBelow(deps, { botId, view }, next, offset);
  if (offset < 0 && !keepsPending) return confirmAllBut(deps, { botId, view }, next, -offset);
  return next.state === at.state ? at : next;
}

/**
 * Returns where the answer to a poll begins. That is where the consumer is, except for a negative
 * offset that drops nothing.
 */
export async function answerStart(
  deps: ApplyDeps,
  { botId, keepsPending, offset }: PollRequest,
  view: LogView,
  at: ConsumerPosition,
): Promise<ConsumerPosition> {
  if (offset >= 0 || !keepsPending) return at;
  return confirmAllBut(deps, { botId, view }, at, -offset);
}

/**
 * If the next answer begins a new run of IDs, this is remembered with the confirmation: webhooks
 * arrive out of order, and another commit would double the time of a poll.
 */
async function withNextRun(
  { updateLog }: ApplyDeps,
  { botId, offset }: PollRequest,
  { kinds, sees }: LogView,
  at: ConsumerPosition,
): Promise<ConsumerPosition> {
  let first: LogEntry | undefined;
  for (const entry of updateLog.peek(botId, at.position) ?? []) {
    if (!wants(at.state, kinds, entry)) continue;
    const waiting = sees.ready?.(entry);
    if (waiting) await waiting;
    if (!sees(entry)) continue;
    first = entry;
    break;
  }
  const shown = first && beginOfRun(at, [first], offset);
  return shown ? { ...at, state: { ...at.state, shown } } : at;
}
