import type { Teller } from './teller.ts';
import type { World } from './bots.ts';

/** Anna asks, the bot answers. */
export async function talk(teller: Teller, world: World): Promise<void> {
  const { show, showWhen, hidden, act, until, listen, recorded } = teller;
  const { bot_id, billingId, anna } = world;
  const chat_id = anna.id;
  const inChat = { bot_id, chat_id };
  await hidden('GET /api/updates/poll', {
    query: { bot_id: billingId, consumer: 'analytics', timeout: 0 },
  });
  const listening = await listen(chat_id);
  await act('say', {
    user: 'anna',
    chat: 'support_bot',
    text: 'Hi! Where is my refund for order 1042?',
  });
  const [asked] = await until(
    () => hidden<{ id: number }[]>('GET /api/messages', { query: inChat }),
    ({ length }) => length > 0,
  );
  recorded['GET /api/events'] = { response: await listening.event };
  const question = asked?.id ?? 0;
  const answer = await show<{ id: number }>('POST /api/messages/send', {
    headers: { 'idempotency-key': 'refund-1042' },
    body: {
      ...inChat,
      text: 'Your refund is on its way.',
      reply_to_message_id: question,
    },
  });
  const text = '**Ready**: see [your order](https://example.com/)';
  await show('POST /api/messages/preview', { body: { text } });
  await show('POST /api/messages/edit', {
    query: { ...inChat, message_id: answer.id },
    body: { text: 'Your refund is on its way. It takes 3 to 5 days.' },
  });
  await show('POST /api/messages/send-media', {
    form: { bot_id, chat_id, type: 'photo', caption: 'Your receipt' },
  });
  const { scheduled_id } = await hidden<{ scheduled_id: number }>('POST /api/messages/send', {
    body: { ...inChat, text: 'We open at nine.', send_at: Math.floor(Date.now() / 1_000) + 3_600 },
  });
  await show('GET /api/messages/scheduled', { query: inChat });
  await show('POST /api/messages/scheduled/update', {
    body: { scheduled_id, text: 'We open at ten.' },
  });
  await show('POST /api/messages/scheduled/cancel', { body: { scheduled_id } });
  await show('GET /api/messages', { query: { ...inChat, limit: 2 } });
  await show('GET /api/messages/context', { query: { ...inChat, id: question, after: 1 } });
  await show('GET /api/messages/thread', { query: { ...inChat, id: question } });
  const traced = { ...inChat, message_id: question };
  // The backend has it, and its attempt is stored.
  await showWhen<{ steps: { kind: string }[] }>(
    'GET /api/messages/timeline',
    { query: traced },
    ({ steps }) => steps.some(({ kind }) => kind === 'attempt'),
  );
  const marked = [question, answer.id].map((id) => `${bot_id}:${chat_id}:${id}`);
  await show('GET /api/messages/marks', { query: { messages: marked.join() } });
  await show('GET /api/messages/edits', { query: { ...inChat, id: answer.id } });
  const search = { bot_id, q: 'refund' };
  // The question, and the answer as it was edited.
  await showWhen('GET /api/messages/search', { query: search }, (found) =>
    ['1042', '3 to 5 days'].every((text) => JSON.stringify(found).includes(text)),
  );
  await show('GET /api/messages/export', { query: { ...inChat, format: 'jsonl' } });
  const sent = await hidden<{ photo: { file_id: string }[] }>('POST /api/sandbox/send-media', {
    body: { user: 'anna', chat: 'support_bot', caption: 'My receipt' },
  });
  const file_id = sent.photo.at(-1)?.file_id ?? '';
  await show('GET /api/sandbox/file', { query: { id: file_id } });
  const stored = await until(
    () => hidden<{ file_id: string }[]>('GET /api/messages', { query: inChat }),
    ([newest]) => newest?.file_id !== '' && newest !== undefined,
  );
  await show('GET /api/media', { query: { bot_id, file_id: stored[0]?.file_id ?? '' } });
  await show('GET /api/outbox', { query: { bot_id, limit: 1 } });
  await askAnna(teller, inChat);
}

/** The bot asks Anna, who presses a button. */
async function askAnna(
  { hidden, show, until }: Teller,
  inChat: { bot_id: number; chat_id: number },
): Promise<void> {
  const { id } = await show<{ id: number }>('POST /api/ask', {
    headers: { 'idempotency-key': 'refund-1042-card' },
    body: { ...inChat, text: 'Refund the card you paid with?', options: ['Yes', 'No'] },
  });
  const { message_id } = await until(
    () => hidden<{ message_id: number }>('GET /api/ask', { query: { id } }),
    (question) => question.message_id !== 0,
  );
  await hidden('POST /api/sandbox/press', {
    body: { user: 'anna', chat: 'support_bot', message_id, button: 'Yes' },
  });
  await show('GET /api/ask', { query: { id, timeout: 50 } });
  const other = await hidden<{ id: number }>('POST /api/ask', {
    body: { ...inChat, text: 'Anything else?' },
  });
  await show('GET /api/ask/list', { query: { bot_id: inChat.bot_id, state: 'open' } });
  await show('POST /api/ask/cancel', { query: { id: other.id } });
}
