import { reason } from '../../core/reasons/reason.ts';
import { sliceArray } from '../../core/log/json-slices.ts';
import { type IncomingUpdate, readUpdate } from '../../core/log/update-facts.ts';
import { PlatformRefused, PlatformUnreachable } from '../../telegram/errors.ts';
import type { PollAnswer } from './poll-connection.ts';

export interface Batch {
  updates: IncomingUpdate[];
  /** Confirms the batch; undefined for an empty one. */
  nextOffset: number | undefined;
}

const emptyAnswer = '{"ok":true,"result":[]}';
const emptyBatch: Batch = { updates: [], nextOffset: undefined };

/** Reads the answer to getUpdates. Throws PlatformRefused or PlatformUnreachable. */
export function readPollAnswer(answer: PollAnswer, receivedAt: number, token: string): Batch {
  // Nearly every poll of a quiet bot gets this answer.
  if (answer.text === emptyAnswer) return emptyBatch;
  const envelope = parseObject(answer.text);
  if (envelope?.ok === false) throw refusedAnswer(envelope, answer.status, token);
  const result = envelope?.ok === true ? envelope.result : undefined;
  const slices = Array.isArray(result) ? sliceArray(answer.text, 'result') : undefined;
  if (!Array.isArray(result) || slices?.length !== result.length) {
    throw new PlatformUnreachable(
      'answer',
      true,
      reason('platform_not_bot_api', { status: answer.status }),
    );
  }
  return readBatch(slices, result, receivedAt);
}

function readBatch(slices: string[], parsed: unknown[], receivedAt: number): Batch {
  const updates: IncomingUpdate[] = [];
  let lastId: number | undefined;
  slices.forEach((raw, index) => {
    const update = readUpdate(raw, parsed[index], receivedAt);
    if (update) updates.push(update);
    lastId = update?.updateId ?? idOf(parsed[index]) ?? lastId;
  });
  if (slices.length > 0 && lastId === undefined) {
    throw new PlatformUnreachable('answer', true, reason('platform_no_updates'));
  }
  return { updates, nextOffset: lastId === undefined ? undefined : lastId + 1 };
}

/** Returns an ID that is good enough to confirm the entry, so that it does not arrive forever. */
function idOf(entry: unknown): number | undefined {
  if (typeof entry !== 'object' || entry === null) return undefined;
  const id = Number((entry as { update_id?: unknown }).update_id ?? Number.NaN);
  return Number.isSafeInteger(id) && id > 0 ? id : undefined;
}

type Envelope = Record<string, unknown>;

function parseObject(text: string): Envelope | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? (parsed as Envelope) : undefined;
  } catch {
    return undefined;
  }
}

function refusedAnswer(envelope: Envelope, status: number, token: string): PlatformRefused {
  const { error_code: code, description, parameters } = envelope;
  const retryAfter = (parameters as { retry_after?: unknown } | undefined)?.retry_after;
  return new PlatformRefused(
    Number.isInteger(code) ? (code as number) : status,
    typeof description === 'string' ? description.replaceAll(token, '***') : 'no reason given',
    Number.isInteger(retryAfter) ? { retry_after: retryAfter as number } : {},
  );
}
