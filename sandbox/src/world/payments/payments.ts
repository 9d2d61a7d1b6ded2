import type {
  OrderInfo,
  PreCheckoutQuery,
  SuccessfulPayment,
  TransactionPartnerUser,
} from '@grammyjs/types';
import { keep } from '../bounded.ts';
import { addService } from '../messages/messages.ts';
import type { BillRecord, PaymentRecord } from './payment-records.ts';
import { personOf } from '../people.ts';
import { dialogOf } from '../chats/rooms.ts';
import { moveStars } from './stars.ts';
import { nextLongId, type World } from '../world.ts';

/*
 * Paying sends queries to the bot: for the shipping cost, if that is flexible, and for the approval
 * of the order. It has ten seconds to answer each, otherwise nothing is paid.
 */

const answerMs = 10_000;

const sumOf = (prices: readonly { amount: number }[]): number =>
  prices.reduce((sum, { amount }) => sum + amount, 0);

export const totalOf = ({ bill, shippingOption, tip }: PaymentRecord): number =>
  sumOf(bill.prices) + sumOf(shippingOption?.prices ?? []) + tip;

function setStatus(world: World, payment: PaymentRecord, status: PaymentRecord['status']): void {
  payment.status = status;
  const { id, userId } = payment;
  world.changed({ type: 'payment_changed', paymentId: id, userId, status });
}

/** Starts the timeout of a payment, also after a world was restored. */
export function watchPayment(world: World, payment: PaymentRecord): void {
  const { id, queryId, status, endsAtMs } = payment;
  if (status !== 'shipping' && status !== 'checkout') return;
  const end = (): void => {
    const same = world.state.payments?.get(id) === payment && payment.queryId === queryId;
    if (same && payment.status === status) setStatus(world, payment, 'expired');
  };
  world.clock.setTimeout(end, Math.max(0, endsAtMs - world.clock.now()));
}

/** Returns the details of an order that the bot receives in addition to its payload. */
const orderOf = ({
  shippingOption,
  orderInfo,
}: PaymentRecord): Pick<PreCheckoutQuery, 'shipping_option_id' | 'order_info'> => ({
  ...(shippingOption && { shipping_option_id: shippingOption.id }),
  ...(orderInfo && { order_info: orderInfo }),
});

function ask(world: World, payment: PaymentRecord, status: 'shipping' | 'checkout'): void {
  const { bill, userId, orderInfo } = payment;
  const bot = world.state.bots.get(bill.botId);
  if (!bot) return;
  payment.queryId = nextLongId(world);
  payment.endsAtMs = world.clock.now() + answerMs;
  const common = {
    id: payment.queryId,
    from: personOf(world.state, userId),
    invoice_payload: bill.payload,
  };
  const address = orderInfo?.shipping_address;
  if (status === 'shipping' && address) {
    const query = { ...common, shipping_address: address };
    world.publish(bot, 'shipping_query', () => query, `user:${userId}`);
  } else {
    const { currency } = bill;
    const total_amount = totalOf(payment);
    const query = { ...common, currency, total_amount, ...orderOf(payment) };
    world.publish(bot, 'pre_checkout_query', () => query, `user:${userId}`);
  }
  setStatus(world, payment, status);
  watchPayment(world, payment);
}

export function startPayment(
  world: World,
  bill: BillRecord,
  userId: number,
  tip: number,
  orderInfo?: OrderInfo,
): PaymentRecord {
  const payment: PaymentRecord = {
    id: nextLongId(world),
    bill,
    userId,
    status: 'checkout',
    queryId: '',
    endsAtMs: 0,
    tip,
    ...(orderInfo && { orderInfo }),
  };
  world.state.payments ??= new Map();
  keep(world.state.payments, payment.id, payment);
  if (bill.media) buyMedia(world, payment);
  else ask(world, payment, bill.isFlexible ? 'shipping' : 'checkout');
  return payment;
}

/** The bot offered shipping options; the person chooses. */
export function offerShipping(
  world: World,
  payment: PaymentRecord,
  options: NonNullable<PaymentRecord['shippingOptions']>,
): void {
  payment.shippingOptions = options;
  setStatus(world, payment, 'choose_shipping');
}

export function takeShipping(world: World, payment: PaymentRecord, optionId: string): boolean {
  const option = payment.shippingOptions?.find(({ id }) => id === optionId);
  if (!option) return false;
  payment.shippingOption = option;
  ask(world, payment, 'checkout');
  return true;
}

export function refusePayment(world: World, payment: PaymentRecord, error: string): void {
  payment.error = error;
  setStatus(world, payment, 'refused');
}

/** Completes the order: the bot gets a message about it in its chat with the payer. */
export function completePayment(world: World, payment: PaymentRecord): void {
  const { bill, userId } = payment;
  const bot = world.state.bots.get(bill.botId);
  if (!bot) return;
  const inStars = bill.currency === 'XTR';
  const chargeId = `${inStars ? 'stx' : ''}${nextLongId(world)}`;
  const total = totalOf(payment);
  payment.chargeId = chargeId;
  const successful_payment: SuccessfulPayment = {
    currency: bill.currency,
    total_amount: total,
    invoice_payload: bill.payload,
    ...orderOf(payment),
    telegram_payment_charge_id: chargeId,
    provider_payment_charge_id: `${userId}_${nextLongId(world)}`,
  };
  if (inStars) moveStars(world, bot, total, { source: partnerOf(world, payment) }, chargeId);
  const dialog = dialogOf(world.state, userId, bot.id);
  dialog.started = true;
  setStatus(world, payment, 'paid');
  addService(world, dialog, userId, { successful_payment });
}

/** Shows paid media as soon as it is paid; the bot gets an update if it set a payload. */
function buyMedia(world: World, payment: PaymentRecord): void {
  const { bill, userId } = payment;
  const bot = world.state.bots.get(bill.botId);
  if (!bot) return;
  const chargeId = `stx${nextLongId(world)}`;
  payment.chargeId = chargeId;
  setStatus(world, payment, 'paid');
  if (bill.media?.inChannel) return;
  const source = partnerOf(world, payment);
  moveStars(world, bot, totalOf(payment), { source }, chargeId);
  if (bill.payload === '') return;
  const purchase = { from: source.user, paid_media_payload: bill.payload };
  world.publish(bot, 'purchased_paid_media', () => purchase, `user:${userId}`);
}

function partnerOf(world: World, { bill, userId }: PaymentRecord): TransactionPartnerUser {
  const type = 'user';
  const user = personOf(world.state, userId);
  if (!bill.media) {
    return { type, transaction_type: 'invoice_payment', user, invoice_payload: bill.payload };
  }
  return {
    type,
    transaction_type: 'paid_media_payment',
    user,
    paid_media: bill.media.items,
    ...(bill.payload !== '' && { paid_media_payload: bill.payload }),
  };
}

/** Returns the stars to the payer. */
export function refundPayment(world: World, payment: PaymentRecord): void {
  const { bill, userId, chargeId = '' } = payment;
  const bot = world.state.bots.get(bill.botId);
  if (!bot) return;
  const total = totalOf(payment);
  moveStars(world, bot, -total, { receiver: partnerOf(world, payment) }, chargeId);
  setStatus(world, payment, 'refunded');
  addService(world, dialogOf(world.state, userId, bot.id), userId, {
    refunded_payment: {
      currency: bill.currency,
      total_amount: total,
      invoice_payload: bill.payload,
      telegram_payment_charge_id: chargeId,
    },
  });
}
