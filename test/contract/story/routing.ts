import type { Teller } from './teller.ts';
import type { World } from './bots.ts';

/** Questions about money go to the billing team; one of its messages fails and is sent again. */
export async function route(teller: Teller, world: World): Promise<void> {
  const { show, showWhen, hidden, act, until } = teller;
  const { bot_id, billingId, group } = world;
  const latest = { query: { bot_id, limit: 1 } };
  const added = await show<{ id: number }>('POST /api/routes/add', {
    body: {
      source_bot_id: bot_id,
      target_bot_id: billingId,
      action: 'forward',
      condition_type: 'keyword',
      condition_value: 'refund, invoice',
      target_chat_id: group.id,
      description: 'Money questions to the billing team',
    },
  });
  await show('POST /api/routes/update', {
    body: {
      id: added.id,
      source_bot_id: bot_id,
      target_bot_id: billingId,
      action: 'forward',
      condition_type: 'keyword',
      condition_value: 'refund, invoice, payment',
      target_chat_id: group.id,
      description: 'Money questions to the billing team',
      priority: 10,
    },
  });
  await show('GET /api/routes', { query: { bot_id } });
  await show('POST /api/routes/simulate', { body: { bot_id, text: 'Where is my refund?' } });
  await hidden('POST /api/sandbox/say', {
    body: { user: 'anna', chat: 'support_bot', text: 'I still have no refund' },
  });
  await showWhen('GET /api/routes/decisions', latest, (decisions) =>
    JSON.stringify(decisions).includes('"state":"sent"'),
  );
  await show('GET /api/routes/graph');
  await show('POST /api/routes/delete', { query: { id: added.id } });
  await show('POST /api/llm-config', {
    body: {
      api_url: 'https://llm.example.com/v1',
      model: 'small-chat-model',
      system_prompt: 'Send questions about money to the billing team.',
      api_key: 'example-key',
      enabled: false,
      monthly_call_limit: 10_000,
    },
  });
  await show('GET /api/llm-config');

  const carlAndBot = { user: 'carl', bot: 'billing_team_bot' };
  const start = await hidden<{ from: { id: number } }>('POST /api/sandbox/say', {
    body: { user: 'carl', chat: 'billing_team_bot', text: '/start' },
  });
  await act('users/block-bot', carlAndBot);
  await hidden('POST /api/messages/send', {
    body: { bot_id: billingId, chat_id: start.from.id, text: 'Your invoice is ready.' },
  }).catch(() => {});
  await hidden('POST /api/sandbox/users/block-bot', { body: { ...carlAndBot, blocked: false } });
  const [failed] = await until(
    () =>
      hidden<{ id: number }[]>('GET /api/outbox', {
        query: { bot_id: billingId, state: 'failed' },
      }),
    ({ length }) => length > 0,
  );
  await show('POST /api/outbox/send-again', { query: { id: failed?.id ?? 0 } });
}
