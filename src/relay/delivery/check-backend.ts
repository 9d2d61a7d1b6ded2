import type { Reason } from '../../core/reasons/reason.ts';
import { unpackReason } from '../../core/reasons/stored.ts';
import type { Dispatcher } from 'undici';
import type { Clock } from '../../clock.ts';
import { createBackend } from './backend.ts';
import { connectionWords, statusWords, timeoutWords } from './failure-words.ts';

export interface BackendCheck {
  /** The backend answered, whatever the answer. */
  reachable: boolean;
  /** The backend accepted the test update; set only if one was sent. */
  accepted?: boolean;
  /** 0 when there was no answer. */
  status: number;
  duration_ms: number;
  /** '' if nothing is wrong. */
  error: string;
  error_detail: Reason | null;
}

const checkTimeoutMs = 10_000;

/**
 * Sends a HEAD request, which changes nothing in the backend; any answer shows that it is
 * reachable. Only if asked to, it sends an update that holds nothing but `update_id` 0.
 */
export async function checkBackend(
  bot: { id: number; backend_url: string; secret_token: string },
  options: { deliver: boolean; connections: Dispatcher; clock: Clock },
): Promise<BackendCheck> {
  const { deliver, connections, clock } = options;
  const backend = createBackend(bot.backend_url, bot.secret_token);
  const startedAt = clock.monotonic();
  const update = { botId: bot.id, position: 0, raw: '{"update_id":0}', replay: false };
  const request = deliver
    ? (backend.request({ ...update, nowMs: clock.now() }) as Dispatcher.RequestOptions)
    : backend.head;
  const timing = { headersTimeout: checkTimeoutMs, bodyTimeout: checkTimeoutMs };
  try {
    const answer = await connections.request({ ...request, ...timing });
    await answer.body.dump({ limit: 64 * 1024 });
    const accepted = answer.statusCode >= 200 && answer.statusCode < 300;
    return {
      reachable: true,
      ...(deliver ? { accepted } : {}),
      status: answer.statusCode,
      duration_ms: clock.monotonic() - startedAt,
      ...failureOf(deliver && !accepted ? statusWords(answer.statusCode) : ''),
    };
  } catch (error) {
    const late = (error as { code?: string }).code === 'UND_ERR_HEADERS_TIMEOUT';
    return {
      reachable: false,
      ...(deliver ? { accepted: false } : {}),
      status: 0,
      duration_ms: clock.monotonic() - startedAt,
      ...failureOf(late ? timeoutWords(checkTimeoutMs) : connectionWords(error, backend.host)),
    };
  }
}

function failureOf(stored: string) {
  const { text, detail } = unpackReason(stored);
  return { error: text, error_detail: detail };
}
