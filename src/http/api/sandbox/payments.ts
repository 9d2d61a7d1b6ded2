import { Type } from 'typebox';
import { Choice } from '../../schemas.ts';
import { MessageId, Name, chatFields, type SandboxAction } from './fields.ts';

const line = (description: string) => Type.Optional(Type.String({ maxLength: 256, description }));

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

export const Payment = Type.Object({
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
});

const PaymentId = Name('ID of the payment.');

/** Paying invoices. */
export const paymentActions: Readonly<Record<string, SandboxAction>> = {
  pay: {
    summary: 'Pay an invoice',
    description:
      'Also buys paid media. Name the invoice by message or by link. The bot gets `shipping_query`, `pre_checkout_query` and then `successful_payment`. People in the sandbox always have enough money.',
    fields: {
      user: chatFields.user,
      chat: Type.Optional(chatFields.chat),
      message_id: Type.Optional({ ...MessageId, examples: [7] }),
      invoice_link: Type.Optional(Name('Link from createInvoiceLink, instead of a message.', 256)),
      tip: Type.Optional(
        Type.Integer({ minimum: 0, maximum: 1_000_000_000, description: 'In the smallest units.' }),
      ),
      order_info: Type.Optional(Order),
    },
    rules: {
      if: { required: ['invoice_link'] },
      then: {},
      else: { required: ['chat', 'message_id'] },
    },
    answer: Payment,
  },
  'pay/shipping': {
    summary: 'Choose a shipping option',
    fields: { id: PaymentId, option: Name('Its id.') },
    answer: Payment,
  },
  'pay/status': {
    reads: true,
    summary: 'Get the status of a payment',
    fields: { id: PaymentId },
    answer: Payment,
  },
};
