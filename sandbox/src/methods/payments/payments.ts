import type { ShippingOption } from '@grammyjs/types';
import { badRequest } from '../../api-error.ts';
import type { PaymentRecord } from '../../world/payments/payment-records.ts';
import {
  completePayment,
  offerShipping,
  refundPayment,
  refusePayment,
  totalOf,
} from '../../world/payments/payments.ts';
import type { Call, MethodTable } from '../call.ts';
import { readPrice } from './invoices.ts';
import { userIdOf } from '../target.ts';

const tooOld = 'query is too old and response timeout expired or query ID is invalid';

/** Returns the payment about which this bot was asked, while it can still answer. */
function asked(
  call: Call,
  name: string,
  status: Extract<PaymentRecord['status'], 'shipping' | 'checkout'>,
): PaymentRecord {
  const queryId = call.params.text(name);
  const payment = call.world.state.payments
    ?.values()
    .find((one) => one.queryId === queryId && one.bill.botId === call.bot.id);
  if (payment?.status !== status) throw badRequest(tooOld);
  return payment;
}

function readOption(given: unknown): ShippingOption {
  const wrong = (reason: string) => badRequest(`can't parse shipping option: ${reason}`);
  if (given === null || typeof given !== 'object') {
    throw wrong('ShippingOption must be an Object');
  }
  const { id, title, prices } = given as Record<string, unknown>;
  for (const [name, value] of Object.entries({ id, title })) {
    if (typeof value !== 'string') throw wrong(`Can't find field "${name}"`);
    if (value === '') throw wrong(`ShippingOption ${name} must be non-empty`);
  }
  if (!Array.isArray(prices)) throw wrong('Can\'t find field "prices"');
  return { id: String(id), title: String(title), prices: prices.map(readPrice) };
}

function readOptions(call: Call): ShippingOption[] {
  call.params.required('shipping_options');
  const given = call.params.json('shipping_options');
  if (!Array.isArray(given)) throw badRequest('expected an Array of shipping options');
  if (given.length === 0) throw badRequest('there must be at least one shipping option');
  const options = given.map(readOption);
  const ids = new Set(options.map(({ id }) => id));
  if (ids.size < options.length) throw badRequest('SHIPPING_ID_DUPLICATE');
  return options;
}

function answerShippingQuery(call: Call): true {
  const options = call.params.flag('ok') ? readOptions(call) : undefined;
  const error = options ? '' : call.params.required('error_message');
  const payment = asked(call, 'shipping_query_id', 'shipping');
  if (options) offerShipping(call.world, payment, options);
  else refusePayment(call.world, payment, error);
  return true;
}

function answerPreCheckoutQuery(call: Call): true {
  const error = call.params.flag('ok') ? undefined : call.params.required('error_message');
  const payment = asked(call, 'pre_checkout_query_id', 'checkout');
  if (error === undefined) completePayment(call.world, payment);
  else refusePayment(call.world, payment, error);
  return true;
}

function refundStarPayment(call: Call): true {
  const userId = userIdOf(call);
  const chargeId = call.params.required('telegram_payment_charge_id');
  const payment = call.world.state.payments
    ?.values()
    .find((one) => one.chargeId === chargeId && one.bill.botId === call.bot.id);
  const ownStars = payment?.bill.currency === 'XTR' && payment.bill.media?.inChannel !== true;
  if (payment?.userId !== userId || !ownStars) {
    throw badRequest('CHARGE_NOT_FOUND');
  }
  if (payment.status === 'refunded') throw badRequest('CHARGE_ALREADY_REFUNDED');
  if ((call.bot.stars ?? 0) < totalOf(payment)) throw badRequest('BALANCE_TOO_LOW');
  refundPayment(call.world, payment);
  return true;
}

export const paymentMethods: MethodTable = {
  answershippingquery: answerShippingQuery,
  answerprecheckoutquery: answerPreCheckoutQuery,
  refundstarpayment: refundStarPayment,
};
