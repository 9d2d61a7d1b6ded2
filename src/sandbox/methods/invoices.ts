import type { InlineKeyboardMarkup, LabeledPrice, Message } from '@grammyjs/types';
import { badRequest } from '../api-error.ts';
import type { Call, MethodTable } from './call.ts';
import { openEnvelope, post, show } from './send.ts';

const MAX_TITLE = 32;
const MAX_DESCRIPTION = 255;
const MAX_PAYLOAD_BYTES = 128;

/** As @BotFather gives them out for tests; tokens for real money lead nowhere here. */
const TEST_PROVIDER = /^\d+:TEST:.+$/u;

function readPrice(given: unknown): LabeledPrice {
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
  const amounts = ((suggested ?? []) as unknown[]).map(Number);
  const rising = amounts.every(
    (amount, index) => amount > (amounts[index - 1] ?? 0) && amount <= Number(most),
  );
  if (amounts.length > 4 || !rising) throw badRequest('TIP_AMOUNTS_INVALID');
  if (currency === 'XTR' && Number(most) > 0) throw badRequest('STARS_INVOICE_INVALID');
}

interface Bill {
  title: string;
  description: string;
  currency: string;
  total: number;
}

function readBill(call: Call): Bill {
  const { params } = call;
  const title = params.required('title');
  const description = params.required('description');
  const payload = params.required('payload');
  const currency = params.required('currency');
  const prices = readPrices(call);
  checkTips(call, currency);
  if (title.length > MAX_TITLE) throw badRequest('INVOICE_TITLE_INVALID');
  if (description.length > MAX_DESCRIPTION) throw badRequest('INVOICE_DESCRIPTION_INVALID');
  if (Buffer.byteLength(payload) > MAX_PAYLOAD_BYTES) throw badRequest('INVOICE_PAYLOAD_INVALID');
  const total = prices.reduce((sum, { amount }) => sum + amount, 0);
  return { title, description, currency, total };
}

function checkPayable({ currency, total }: Bill, call: Call): void {
  if (currency === 'XTR') {
    const prices = call.params.json('prices') as unknown[];
    if (prices.length !== 1) throw badRequest('STARS_INVOICE_INVALID');
  } else {
    if (!/^[A-Z]{3}$/u.test(currency)) throw badRequest('CURRENCY_INVALID');
    if (!TEST_PROVIDER.test(call.params.text('provider_token'))) {
      throw badRequest('PAYMENT_PROVIDER_INVALID');
    }
  }
  if (total < 1) throw badRequest('CURRENCY_TOTAL_AMOUNT_INVALID');
}

function payButton(bill: Bill, keyboard: InlineKeyboardMarkup | undefined): InlineKeyboardMarkup {
  if (!keyboard) {
    const price =
      bill.currency === 'XTR'
        ? `⭐️${bill.total}`
        : `${bill.currency} ${(bill.total / 100).toFixed(2)}`;
    return { inline_keyboard: [[{ text: `Pay ${price}`, pay: true }]] };
  }
  const at = keyboard.inline_keyboard.flat().findIndex((button) => 'pay' in button);
  if (at < 0) throw badRequest('REPLY_MARKUP_BUY_EMPTY');
  if (at > 0) throw badRequest('BUTTON_POS_INVALID');
  return keyboard;
}

/** Stars without a provider, other currencies with a test token of one. Nobody can pay it here. */
function sendInvoice(call: Call): Message {
  const bill = readBill(call);
  const envelope = openEnvelope(call, 'can_send_messages');
  checkPayable(bill, call);
  envelope.draft.inlineKeyboard = payButton(bill, envelope.draft.inlineKeyboard);
  const { title, description, currency, total } = bill;
  const start_parameter = call.params.text('start_parameter');
  const invoice = { title, description, start_parameter, currency, total_amount: total };
  return show(call, envelope.room, post(call, envelope, { invoice }));
}

export const invoiceMethods: MethodTable = { sendinvoice: sendInvoice };
