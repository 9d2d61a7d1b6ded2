import type { InlineKeyboardMarkup, LabeledPrice, Message, OrderInfo } from '@grammyjs/types';
import { badRequest } from '../../api-error.ts';
import { keep } from '../../world/bounded.ts';
import type { BillRecord } from '../../world/payments/payment-records.ts';
import { nextLongId } from '../../world/world.ts';
import type { Call, MethodTable } from '../call.ts';
import { asNumber } from '../params.ts';
import { openEnvelope, post, show } from '../send.ts';

const maxTitle = 32;
const maxDescription = 255;
const maxPayloadBytes = 128;

/** The form of test tokens from @BotFather; tokens for real money do not work here. */
const testProvider = /^\d+:TEST:.+$/u;

export function readPrice(given: unknown): LabeledPrice {
  if (given === null || typeof given !== 'object') {
    throw badRequest("can't parse labeled price: LabeledPrice must be an Object");
  }
  const { label, amount } = given as { label?: unknown; amount?: unknown };
  if (typeof label !== 'string') {
    throw badRequest('can\'t parse labeled price: Can\'t find field "label"');
  }
  if (label === '') {
    throw badRequest("can't parse labeled price: LabeledPrice label must be non-empty");
  }
  const value = typeof amount === 'string' && /^-?\d+$/u.test(amount) ? Number(amount) : amount;
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) {
    throw badRequest('can\'t parse labeled price: Field "amount" must be a valid Number');
  }
  return { label, amount: value };
}

function readPrices(call: Call): LabeledPrice[] {
  call.params.required('prices');
  const given = call.params.json('prices');
  if (!Array.isArray(given)) throw badRequest('expected an Array of labeled prices');
  const prices = given.map(readPrice);
  if (prices.length === 0) throw badRequest('there must be at least one price');
  return prices;
}

function checkTips(call: Call, currency: string): void {
  const { params } = call;
  const most = params.text('max_tip_amount');
  if (most !== '' && !/^-?\d+$/u.test(most)) {
    throw badRequest('can\'t parse "max_tip_amount" as Number');
  }
  const suggested = params.json('suggested_tip_amounts', 'suggested_tip_amounts');
  if (suggested !== undefined && !Array.isArray(suggested)) {
    throw badRequest('expected an Array of suggested tip amounts');
  }
  const amounts = ((suggested ?? []) as unknown[]).map(asNumber);
  const rising = amounts.every(
    (amount, index) => amount > (amounts[index - 1] ?? 0) && amount <= Number(most),
  );
  if (amounts.length > 4 || !rising) throw badRequest('TIP_AMOUNTS_INVALID');
  if (currency === 'XTR' && Number(most) > 0) throw badRequest('STARS_INVOICE_INVALID');
}

interface Invoice {
  title: string;
  description: string;
  total: number;
  bill: BillRecord;
}

const requiredFields: Readonly<Record<string, keyof OrderInfo>> = {
  need_name: 'name',
  need_phone_number: 'phone_number',
  need_email: 'email',
  need_shipping_address: 'shipping_address',
};

/** Returns the data that the person has to enter; none when paying with stars. */
function readNeeds(call: Call, isFlexible: boolean): (keyof OrderInfo)[] {
  return Object.entries(requiredFields)
    .filter(([flag, name]) => call.params.flag(flag) || (isFlexible && name === 'shipping_address'))
    .map(([, name]) => name);
}

function readInvoice(call: Call): Invoice {
  const { params } = call;
  const title = params.required('title');
  const description = params.required('description');
  const payload = params.required('payload');
  const currency = params.required('currency');
  const prices = readPrices(call);
  checkTips(call, currency);
  if (title.length > maxTitle) throw badRequest('INVOICE_TITLE_INVALID');
  if (description.length > maxDescription) throw badRequest('INVOICE_DESCRIPTION_INVALID');
  if (Buffer.byteLength(payload) > maxPayloadBytes) throw badRequest('INVOICE_PAYLOAD_INVALID');
  const total = prices.reduce((sum, { amount }) => sum + amount, 0);
  const inStars = currency === 'XTR';
  const isFlexible = !inStars && params.flag('is_flexible');
  const needs = inStars ? [] : readNeeds(call, isFlexible);
  const maxTip = params.integer('max_tip_amount', 0, 0);
  return {
    title,
    description,
    total,
    bill: {
      id: nextLongId(call.world),
      botId: call.bot.id,
      payload,
      currency,
      prices,
      maxTip,
      isFlexible,
      needs,
    },
  };
}

function checkPayable({ total, bill }: Invoice, call: Call): void {
  if (bill.currency === 'XTR') {
    if (bill.prices.length !== 1) throw badRequest('STARS_INVOICE_INVALID');
  } else {
    if (!/^[A-Z]{3}$/u.test(bill.currency)) throw badRequest('CURRENCY_INVALID');
    if (!testProvider.test(call.params.text('provider_token'))) {
      throw badRequest('PAYMENT_PROVIDER_INVALID');
    }
  }
  if (total < 1) throw badRequest('CURRENCY_TOTAL_AMOUNT_INVALID');
}

function payButton(
  { total, bill: { currency } }: Invoice,
  keyboard: InlineKeyboardMarkup | undefined,
): InlineKeyboardMarkup {
  if (!keyboard) {
    const price = currency === 'XTR' ? `⭐️${total}` : `${currency} ${(total / 100).toFixed(2)}`;
    return { inline_keyboard: [[{ text: `Pay ${price}`, pay: true }]] };
  }
  const at = keyboard.inline_keyboard.flat().findIndex((button) => 'pay' in button);
  if (at < 0) throw badRequest('REPLY_MARKUP_BUY_EMPTY');
  if (at > 0) throw badRequest('BUTTON_POS_INVALID');
  return keyboard;
}

/** An invoice in stars has no provider, one in other currencies has a test token of one. */
function sendInvoice(call: Call): Message {
  const given = readInvoice(call);
  const envelope = openEnvelope(call, 'can_send_messages');
  checkPayable(given, call);
  envelope.draft.inlineKeyboard = payButton(given, envelope.draft.inlineKeyboard);
  envelope.draft.bill = given.bill;
  const { title, description, total, bill } = given;
  const start_parameter = call.params.text('start_parameter');
  const { currency } = bill;
  const invoice = { title, description, start_parameter, currency, total_amount: total };
  return show(call, envelope.room, post(call, envelope, { invoice }));
}

/** Everyone who has the link can pay, any number of times. */
function createInvoiceLink(call: Call): string {
  const given = readInvoice(call);
  checkPayable(given, call);
  if (call.params.integer('subscription_period') !== 0) {
    throw badRequest('subscriptions are not supported by the sandbox');
  }
  const link = `https://t.me/$${call.world.secret(16)}`;
  call.world.state.invoiceLinks ??= new Map();
  keep(call.world.state.invoiceLinks, link, given.bill);
  return link;
}

export const invoiceMethods: MethodTable = {
  sendinvoice: sendInvoice,
  createinvoicelink: createInvoiceLink,
};
