import type { OrderInfo, ShippingOption } from '@grammyjs/types';
import { type Static, Type } from 'typebox';
import { ControlError } from '../api-error.ts';
import type { BillRecord, PaymentRecord } from '../world/payments/payment-records.ts';
import { startPayment, takeShipping, totalOf } from '../world/payments/payments.ts';
import type { UserRecord } from '../world/records.ts';
import type { World } from '../world/world.ts';
import { action } from './action.ts';
import { AnyText, Choice, inChat, MessageId, Name, Whole } from './fields.ts';
import { messageRef, type Ref, roomRef, userRef } from './refs.ts';

/** An invoice in a chat, or one that a bot made a link to. */
export type InvoiceRef = { chat: Ref; messageId: number } | { link: string };

export interface PayOptions {
  tip?: number | undefined;
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

/** Returns only the requested order details; undefined if one is missing. */
function orderFor(bill: BillRecord, given: OrderInfo): OrderInfo | undefined {
  const order: Record<string, unknown> = {};
  for (const name of bill.needs) {
    if (!given[name]) {
      throw new ControlError('order_info_missing', { field: name });
    }
    order[name] = given[name];
  }
  return bill.needs.length > 0 ? (order as OrderInfo) : undefined;
}

/**
 * Somebody pays an invoice, about which the bot is asked first, or buys paid media. People always
 * have enough money.
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

const line = (description: string) => Type.Optional(AnyText(description, 256));

const Order = Type.Object(
  {
    name: line('Name.'),
    phone_number: line('Phone number.'),
    email: line('Email.'),
    shipping_address: Type.Optional(
      Type.Object(
        {
          country_code: Type.String({
            pattern: '^[A-Z]{2}$',
            description: 'Country code, such as SE.',
          }),
          state: line('State.'),
          city: line('City.'),
          street_line1: line('Street.'),
          street_line2: line('Second line.'),
          post_code: line('Post code.'),
        },
        { additionalProperties: false, description: 'Where to.' },
      ),
    ),
  },
  { additionalProperties: false, description: 'What the invoice asks for.' },
);

const noLines = { state: '', city: '', street_line1: '', street_line2: '', post_code: '' };

function orderOf({ shipping_address: address, ...order }: Static<typeof Order>): OrderInfo {
  return { ...order, ...(address && { shipping_address: { ...noLines, ...address } }) };
}

const shownPayment = {
  response: Type.Object({
    id: Type.String({ description: 'For pay/status and pay/shipping.' }),
    status: Choice(
      ['shipping', 'choose_shipping', 'checkout', 'paid', 'refused', 'expired', 'refunded'],
      {
        description:
          'shipping and checkout: the bot is asked and has 10 seconds; choose_shipping: the person chooses.',
      },
    ),
    currency: Type.String(),
    total_amount: Type.Integer(),
    shipping_options: Type.Optional(
      Type.Array(Type.Unknown({ description: 'As the bot offered it.' })),
    ),
    error_message: Type.Optional(Type.String({ description: 'Why the bot refused.' })),
    telegram_payment_charge_id: Type.Optional(Type.String()),
  }),
  responseName: 'SandboxPayment',
};

const PaymentId = Name('ID of the payment.');

export const paymentActions = {
  pay: action({
    summary: 'Pay an invoice',
    description:
      'Also buys paid media. Name the invoice by message or by link. The bot gets `shipping_query`, `pre_checkout_query` and then `successful_payment`. People in the sandbox always have enough money.',
    fields: {
      user: inChat.user,
      chat: Type.Optional(inChat.chat),
      message_id: Type.Optional(MessageId('The message.', 7)),
      invoice_link: Type.Optional(Name('Link from createInvoiceLink, instead of a message.', 256)),
      tip: Type.Optional(Whole('In the smallest units.', 0, 1_000_000_000)),
      order_info: Type.Optional(Order),
    },
    rules: {
      if: { required: ['invoice_link'] },
      then: {},
      else: { required: ['chat', 'message_id'] },
    },
    ...shownPayment,
    run: ({ world }, { user, chat, message_id, invoice_link, tip, order_info = {} }) => {
      const options = { tip, orderInfo: orderOf(order_info) };
      if (invoice_link !== undefined) return pay(world, user, { link: invoice_link }, options);
      if (chat === undefined) throw new ControlError('field_missing', { field: 'chat' });
      if (message_id === undefined)
        throw new ControlError('field_missing', { field: 'message_id' });
      return pay(world, user, { chat, messageId: message_id }, options);
    },
  }),
  'pay/shipping': action({
    summary: 'Choose a shipping option',
    fields: { id: PaymentId, option: Name('Its id.') },
    ...shownPayment,
    run: ({ world }, { id, option }) => {
      const payment = paymentRef(world, id);
      if (payment.status !== 'choose_shipping') throw new ControlError('nothing_to_choose');
      if (!takeShipping(world, payment, option)) throw new ControlError('shipping_not_offered');
      return show(payment);
    },
  }),
  'pay/status': action({
    reads: true,
    summary: 'Get the status of a payment',
    fields: { id: PaymentId },
    ...shownPayment,
    run: ({ world }, { id }) => paymentOf(world, id),
  }),
};
