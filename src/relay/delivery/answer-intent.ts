import type { Clock } from '../../clock.ts';
import { pushReader } from '../../core/log/reader-kinds.ts';
import { enqueueIntent } from '../../store/outbox/outbox.ts';
import type { OnMethodCall } from './commit-writer.ts';

/** Hands method calls in answers to the outbox: each answer once, however often it is delivered. */
export function answerIntents(clock: Clock): OnMethodCall {
  return ({ botId, reader, position }, { method, params }) => {
    const chatId = Number(params['chat_id']);
    return enqueueIntent(
      {
        botId,
        chatId: Number.isSafeInteger(chatId) ? chatId : 0,
        method,
        params,
        origin: 'answer',
        intentKey: `answer:${botId}:${reader === pushReader ? '' : `${reader}:`}${position}`,
        priority: 'interactive',
      },
      clock.now(),
    );
  };
}
