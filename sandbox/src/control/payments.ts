import type { OrderInfo, ShippingAddress } from '@grammyjs/types';
import { ControlError } from '../api-error.ts';
import {
  action,
  anyText,
  type ControlAction,
  type ControlInput,
  integerField,
  optionalInteger,
  optionalText,
  reading,
  ref,
  textField,
} from './input.ts';

const addressLines = ['state', 'city', 'street_line1', 'street_line2', 'post_code'] as const;

function part(input: ControlInput, name: string): ControlInput | undefined {
  const value = input[name];
  if (value === undefined) return undefined;
  if (value !== null && typeof value === 'object') return value as ControlInput;
  throw new ControlError('not_an_object', { field: name });
}

function addressOf(given: ControlInput): ShippingAddress {
  const lines = Object.fromEntries(addressLines.map((name) => [name, anyText(given, name)]));
  return { country_code: textField(given, 'country_code'), ...lines } as unknown as ShippingAddress;
}

function orderOf(input: ControlInput): OrderInfo {
  const given = part(input, 'order_info') ?? {};
  const address = part(given, 'shipping_address');
  const order: OrderInfo = {};
  for (const name of ['name', 'phone_number', 'email'] as const) {
    const value = optionalText(given, name);
    if (value !== undefined) order[name] = value;
  }
  return address ? { ...order, shipping_address: addressOf(address) } : order;
}

export const paymentActions: Readonly<Record<string, ControlAction>> = {
  pay: action('user chat message_id invoice_link tip order_info', (sandbox, input) => {
    const link = optionalText(input, 'invoice_link');
    const tip = optionalInteger(input, 'tip');
    const invoice =
      link === undefined
        ? { chat: ref(input, 'chat'), messageId: integerField(input, 'message_id') }
        : { link };
    return sandbox.pay(ref(input, 'user'), invoice, {
      orderInfo: orderOf(input),
      ...(tip !== undefined && { tip }),
    });
  }),
  'pay/shipping': action('id option', (sandbox, input) =>
    sandbox.chooseShipping(textField(input, 'id'), textField(input, 'option')),
  ),
  'pay/status': reading('id', (sandbox, input) => sandbox.paymentOf(textField(input, 'id'))),
};
