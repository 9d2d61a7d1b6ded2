import type { OrderInfo, ShippingOption } from '@grammyjs/types';
import { ControlError } from '../api-error.ts';
import type { BillRecord, PaymentRecord } from '../world/payments/payment-records.ts';
import { startPayment, takeShipping, totalOf } from '../world/payments/payments.ts';
import type { UserRecord } from '../world/records.ts';
import type { World } from '../world/world.ts';
import { messageRef, type Ref, roomRef, userRef } from './refs.ts';

/** An invoice in a chat, or one that a bot made a link to. */
export type InvoiceRef = { chat: Ref; messageId: number } | { link: string };

export interface PayOptions {
  tip?: number;
  orderInfo?: OrderInfo;
}

export interface ShownPayment {
  id: string;
  status: PaymentRecord['status'];
  currency: string;
  total_amount: number;
  shipping_options?: ShippingOption[];
  /** Why the bot refused. */
  error_message?: string;
  telegram_payment_charge_id?: string;
}

function show(payment: PaymentRecord): ShownPayment {
  const { id, status, bill, shippingOptions, error, chargeId } = payment;
  return {
    id,
    status,
    currency: bill.currency,
    total_amount: totalOf(payment),
    ...(status === 'choose_shipping' && shippingOptions && { shipping_options: shippingOptions }),
    ...(error !== undefined && { error_message: error }),
    ...(chargeId !== undefined && { telegram_payment_charge_id: chargeId }),
  };
}

function billOf(world: World, user: UserRecord, invoice: InvoiceRef): BillRecord {
  if ('link' in invoice) {
    const bill = world.state.invoiceLinks?.get(invoice.link);
    if (!bill) throw new ControlError('no_invoice');
    return bill;
  }
  const record = messageRef(roomRef(world, user, invoice.chat), invoice.messageId);
  if (!record.bill) throw new ControlError('nothing_to_pay');
  const { id } = record.bill;
  const isPaid = world.state.payments
    ?.values()
    .some((one) => one.bill.id === id && one.userId === user.id && one.status === 'paid');
  if (isPaid) {
    throw new ControlError('paid_already', { user: user.first_name });
  }
  return record.bill;
}

/** Only what the invoice asks for goes to the bot, and all of it has to be there. */
function orderFor(bill: BillRecord, given: OrderInfo): OrderInfo | undefined {
  const order: Record<string, unknown> = {};
  for (const name of bill.needs) {
    if (given[name] === undefined) {
      throw new ControlError('order_info_missing', { field: name });
    }
    order[name] = given[name];
  }
  return bill.needs.length > 0 ? (order as OrderInfo) : undefined;
}

/**
 * Somebody pays an invoice, about which the bot is asked first, or buys paid media. People have
 * what it takes.
 */
export function pay(
  world: World,
  who: Ref,
  invoice: InvoiceRef,
  options: PayOptions = {},
): ShownPayment {
  const user = userRef(world, who);
  const bill = billOf(world, user, invoice);
  const tip = options.tip ?? 0;
  if (tip < 0 || tip > bill.maxTip) {
    throw new ControlError('tip_out_of_range', { most: bill.maxTip });
  }
  const order = orderFor(bill, options.orderInfo ?? {});
  return show(startPayment(world, bill, user.id, tip, order));
}

function paymentRef(world: World, id: string): PaymentRecord {
  const payment = world.state.payments?.get(id);
  if (!payment) throw new ControlError('no_payment', { payment_id: id });
  return payment;
}

export const paymentOf = (world: World, id: string): ShownPayment => show(paymentRef(world, id));

export function chooseShipping(world: World, id: string, optionId: string): ShownPayment {
  const payment = paymentRef(world, id);
  if (payment.status !== 'choose_shipping') {
    throw new ControlError('nothing_to_choose');
  }
  if (!takeShipping(world, payment, optionId)) {
    throw new ControlError('shipping_not_offered');
  }
  return show(payment);
}
