import type { FastifyInstance } from 'fastify';
import { RelayError } from '../../errors.ts';
import type { WebhookIntake } from '../../relay/webhook-intake.ts';

// An update holds at most a few messages with all their entities; far below this.
const bodyLimitBytes = 4 * 1024 * 1024;

/** Where the platform posts the updates of bots in webhook mode. */
export function installTelegramHook(app: FastifyInstance, intake: WebhookIntake): void {
  app.register(async (hooks) => {
    // The text itself is kept, so nothing may parse and rewrite it on the way.
    hooks.removeAllContentTypeParsers();
    hooks.addContentTypeParser(
      '*',
      { parseAs: 'string' },
      async (_request: unknown, text: string) => text,
    );

    hooks.post<{ Params: { bot_id: string } }>(
      '/hooks/telegram/:bot_id',
      { bodyLimit: bodyLimitBytes },
      async (request, reply) => {
        const botId = /^\d{1,16}$/.test(request.params.bot_id) ? Number(request.params.bot_id) : 0;
        const given = request.headers['x-telegram-bot-api-secret-token'];
        const secret = typeof given === 'string' ? given : '';
        const body = typeof request.body === 'string' ? request.body : '';
        switch (await intake.receive(botId, secret, body)) {
          case 'stored':
            return { ok: true };
          case 'refused':
            app.relay.gate.limitAddress(request, reply);
            throw new RelayError(
              'unauthorized',
              'No webhook with this secret is registered for this bot.',
            );
          case 'paused':
            throw new RelayError('bot_disabled', `Bot ${botId} is disabled.`);
          case 'malformed':
            throw new RelayError('invalid_request', 'The body is no update.', {
              details: [{ field: 'body', problem: 'must be a JSON object with an update_id' }],
            });
        }
      },
    );
  });
}
