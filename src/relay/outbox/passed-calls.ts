import { pacedClassOf } from '../../core/messages/send-class.ts';
import type { RelayEvents } from '../events/relay-events.ts';
import type { ChatQueues } from './chat-queues.ts';

/** Makes the sending limits follow the calls that clients make by the gateway. */
export function followPassedCalls(
  events: Pick<RelayEvents, 'on'>,
  chatQueues: Pick<ChatQueues, 'passed' | 'refused'>,
): void {
  events.on('passedThrough', (botId, { chatId, method, status, retryAfterSeconds = 1 }) => {
    const call = { botId, chatId: chatId ?? 0, method };
    if (status !== 429) chatQueues.passed(call);
    // Telegram limits a chat here. If the call does not name it by its ID, the limit must not delay
    // the whole bot.
    else if (chatId !== undefined) {
      void chatQueues.refused(call, { retryAfterSeconds, isOwn: false });
    }
  });
  events.on('rateLimited', (botId, { app, chat, method, retryAfterSeconds }) => {
    // The outbox applies refusals of its own sends itself.
    if (app === '' || !/^-?\d+$/.test(chat) || pacedClassOf(method) === 'action') return;
    void chatQueues.refused(
      { botId, chatId: Number(chat), method },
      { retryAfterSeconds, isOwn: false },
    );
  });
}
