import { afterAll, afterEach, beforeAll } from 'vitest';
import type { DialectName } from '../../../src/store/engine.ts';
import type { StoredMessage } from '../../../src/store/messages/messages.ts';
import { type ApiUser, type DomainApp, startDomainApp } from './domain-app.ts';

/** Messages over HTTP for a caller who may send; one platform for all tests, without faults. */
export function messagesForAllTests(dialect: DialectName) {
  let app: DomainApp;
  let sender: ApiUser;

  beforeAll(async () => {
    app = await startDomainApp(dialect);
    sender = await app.user('send');
  });
  afterAll(() => app.close());
  afterEach(() => {
    app.movePlatform(app.platformUrl);
    app.sandbox.faults.clear();
  });

  return {
    app: () => app,
    send: (body: unknown, key?: string) =>
      sender.post<StoredMessage>(
        '/api/messages/send',
        body,
        key === undefined ? {} : { 'idempotency-key': key },
      ),
    list: (query: string) => sender.get<StoredMessage[]>(`/api/messages?${query}`),
    /** The texts that the bot sends from now on. */
    sentBy(platformId: number): string[] {
      const texts: string[] = [];
      app.sandbox.onChange((change) => {
        if (change.type === 'message_added' && change.message.from?.id === platformId) {
          texts.push(change.message.text ?? '');
        }
      });
      return texts;
    },
  };
}
