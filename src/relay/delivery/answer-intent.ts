import type { Clock } from '../../clock.ts';
import { mayCall } from '../../core/apps/app.ts';
import { backendAuthor } from '../../core/messages/author.ts';
import { pushReader } from '../../core/log/reader-kinds.ts';
import { reason } from '../../core/reasons/reason.ts';
import { packReason } from '../../core/reasons/stored.ts';
import { callerOf } from '../../store/apps/app-steps.ts';
import { enqueueIntent, type OutboxIntent } from '../../store/outbox/outbox.ts';
import type { OnMethodCall } from './commit-writer.ts';

/** The key of the call that a backend answered an update with. */
export const answerKey = (botId: number, reader: string, position: number) =>
  `answer:${botId}:${reader === pushReader ? '' : `${reader}:`}${position}`;

const keyParts = /^answer:\d+:(?:(.+):)?(\d+)$/;

/** Returns the update that was answered by the send with this key; undefined for other sends. */
export function answeredUpdate(intentKey: string) {
  const [, reader = pushReader, position] = keyParts.exec(intentKey) ?? [];
  return position === undefined ? undefined : { reader, position: Number(position) };
}

/**
 * Hands method calls in answers to the outbox: each answer once, however often its update is
 * delivered. A call that the app may not make is recorded there and not sent.
 */
export function answerIntents(clock: Clock): OnMethodCall {
  return function* ({ botId, reader, appId, position }, { method, params }) {
    const chatId = Number(params['chat_id']);
    const intent: OutboxIntent = {
      botId,
      chatId: Number.isSafeInteger(chatId) ? chatId : 0,
      method,
      params,
      origin: 'answer',
      intentKey: answerKey(botId, reader, position),
      priority: 'interactive',
      author: backendAuthor(),
    };
    if (reader === pushReader) return yield* enqueueIntent(intent, clock.now());
    const app = yield* callerOf(botId, reader);
    // The app was deleted meanwhile, and its calls with it.
    if (!app || app.id !== (appId ?? app.id)) return undefined;
    const isAllowed = mayCall(app.methods, method);
    const error = packReason(reason('app_may_not_call', { app: app.name, method }));
    return yield* enqueueIntent(
      { ...intent, appId: app.id, author: backendAuthor(app) },
      clock.now(),
      isAllowed ? { state: 'queued' } : { state: 'failed', error },
    );
  };
}
