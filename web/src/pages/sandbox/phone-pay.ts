import { post } from '../../api/client/client.ts';
import { paymentStatus } from '../../api/sandbox.ts';
import type { Messages } from '../../i18n/messages.ts';

/** Pays an invoice and returns the result: the bot decides, or its ten seconds expire. */
export async function payWords(
  invoice: { user: number; chat: number; message_id: number },
  t: Messages,
): Promise<string> {
  let payment = await post('/api/sandbox/pay', { body: invoice });
  while (payment.status === 'checkout') {
    await new Promise((resolve) => window.setTimeout(resolve, 400));
    payment = await paymentStatus(payment.id);
  }
  return payment.status === 'paid'
    ? t.sandbox.paid
    : t.sandbox.notPaid(payment.error_message ?? t.sandbox.notAnswered);
}
