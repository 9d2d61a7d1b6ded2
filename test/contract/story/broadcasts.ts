import type { World } from './bots.ts';
import type { Teller } from './teller.ts';

interface Broadcast {
  id: number;
  recipients: number;
  state: string;
}

/** The shop tells its customers about new hours. */
export async function broadcast(
  { show, hidden, until }: Teller,
  { bot_id, anna }: World,
): Promise<void> {
  const audience = { chat_types: ['private'] };
  await show('POST /api/broadcasts/count', { body: { bot_id, audience } });
  const added = await show<Broadcast>('POST /api/broadcasts/add', {
    body: {
      bot_id,
      name: 'Opening hours',
      audience,
      text: 'We open at nine.',
      opt_out_button: 'Unsubscribe',
    },
  });
  const { id, recipients } = added;
  const byId = { body: { id } };
  await show('POST /api/broadcasts/test', { body: { id, chat_id: anna.id } });
  await show('POST /api/broadcasts/start', { body: { id, recipients } });
  const ended = (wanted = id) =>
    until(
      () => hidden<Broadcast[]>('GET /api/broadcasts', { query: { bot_id } }),
      (all) => all.some((one) => one.id === wanted && one.state === 'done'),
    );
  await ended();
  await show('GET /api/broadcasts', { query: { bot_id } });
  await show('GET /api/broadcasts/results', { query: { id } });
  await show('POST /api/broadcasts/edit', { body: { id, text: 'We open at ten.' } });
  await ended();
  await show('POST /api/broadcasts/delete', byId);
  await ended();
  const draft = (name: string, text: string) =>
    hidden<Broadcast>('POST /api/broadcasts/add', { body: { bot_id, name, text } });
  const sale = await draft('Sale', 'All teas at half price.');
  await hidden('POST /api/broadcasts/start', {
    body: { id: sale.id, recipients: sale.recipients },
  });
  // It cannot have ended: its audience is listed before the first message goes out.
  await show('POST /api/broadcasts/pause', { body: { id: sale.id } });
  await show('POST /api/broadcasts/resume', { body: { id: sale.id } });
  const unwanted = await draft('Holiday', 'We are closed on Monday.');
  await show('POST /api/broadcasts/cancel', { body: { id: unwanted.id } });
  await ended(sale.id);
}
