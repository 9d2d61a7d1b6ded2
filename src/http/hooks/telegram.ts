import { reason } from '../../core/reasons/reason.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { RelayError } from '../../errors.ts';
import type { WebhookIntake } from '../../relay/intake/webhook-intake.ts';

// Updates are far smaller: at most a few messages with their entities.
const bodyLimitBytes = 4 * 1024 * 1024;

/** Telegram posts the updates of bots in webhook mode here. */
export function installTelegramHook(app: FastifyInstance, intake: WebhookIntake): void {
  function refuse(request: FastifyRequest, reply: FastifyReply): never {
    app.relay.gate.limitAddress(request, reply);
    throw new RelayError('unauthorized', reason('webhook_unknown'));
  }

  app.register(async (hooks) => {
    // The raw text is stored, so it is not parsed here.
    hooks.removeAllContentTypeParsers();
    hooks.addContentTypeParser(
      '*',
      { parseAs: 'string' },
      async (_request: unknown, text: string) => text,
    );

    hooks.post(
      '/hooks/telegram/:bot_id',
      {
        bodyLimit: bodyLimitBytes,
        // Check before the body is read, so that a rejected caller costs only the look-up.
        async onRequest(request, reply) {
          const { botId, secret } = callerOf(request);
          if (!(await intake.knows(botId, secret))) refuse(request, reply);
        },
      },
      async (request, reply) => {
        const { botId, secret } = callerOf(request);
        const body = typeof request.body === 'string' ? request.body : '';
        switch (await intake.receive(botId, secret, body)) {
          case 'stored':
            return { ok: true };
          case 'refused':
            return refuse(request, reply);
          case 'paused':
            throw new RelayError('bot_disabled', reason('bot_disabled', { bot_id: botId }));
          case 'malformed':
            throw new RelayError('invalid_request', reason('body_no_update'), {
              details: [{ field: 'body', problem: reason('not_an_update') }],
            });
        }
      },
    );
  });
}

function callerOf({ params, headers }: FastifyRequest): { botId: number; secret: string } {
  const { bot_id: id } = params as { bot_id: string };
  const given = headers['x-telegram-bot-api-secret-token'];
  return {
    botId: /^\d{1,16}$/.test(id) ? Number(id) : 0,
    secret: typeof given === 'string' ? given : '',
  };
}
