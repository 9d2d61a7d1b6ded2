import type { Message, OrderInfo, Update } from '@grammyjs/types';
import type { ShownPayment } from '../../../sandbox/src/actions/pay.ts';
import { createManualClock } from '../../../sandbox/src/clock.ts';
import type { UserRecord } from '../../../sandbox/src/world/records.ts';
import { pending, type Scene, scene } from '../helpers.ts';

export const tooOld =
  'Bad Request: query is too old and response timeout expired or query ID is invalid';
export const stars = {
  title: 'Tea',
  description: 'A pot of it',
  payload: 'order-1',
  currency: 'XTR',
  prices: [{ label: 'Tea', amount: 25 }],
};
export const money = {
  ...stars,
  currency: 'EUR',
  provider_token: '1:TEST:x',
  prices: [
    { label: 'Tea', amount: 400 },
    { label: 'Cup', amount: 150 },
  ],
};
export const address = {
  country_code: 'SE',
  state: '',
  city: 'Stockholm',
  street_line1: 'Gamla gatan 1',
  street_line2: '',
  post_code: '11122',
};
export const orderInfo: OrderInfo = {
  name: 'Ann A',
  phone_number: '+46700000000',
  email: 'ann@example.com',
  shipping_address: address,
};

export interface Shop extends Scene {
  clock: ReturnType<typeof createManualClock>;
  ann: UserRecord;
  /** The answer of the control API, or its error. */
  act<T = ShownPayment & { error?: string }>(action: string, input: object): Promise<T>;
  status(id: string): Promise<ShownPayment>;
  newest<K extends keyof Update>(kind: K): Promise<NonNullable<Update[K]>>;
}

export async function shop(): Promise<Shop> {
  const clock = createManualClock();
  const made = await scene({ clock });
  const { sandbox, bot, url, api } = made;
  const ann = sandbox.createUser({ first_name: 'Ann', username: 'ann' });
  sandbox.say(ann, bot, 'tea, please');
  const act: Shop['act'] = async (action, input) => {
    const response = await fetch(`${url}/sandbox/${action}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(input),
    });
    return (await response.json()) as never;
  };
  return {
    ...made,
    clock,
    ann,
    act,
    async status(id) {
      return (await (await fetch(`${url}/sandbox/pay/status?id=${id}`)).json()) as ShownPayment;
    },
    async newest(kind) {
      const found = (await pending(api)).findLast((update) => update[kind] !== undefined)?.[kind];
      if (!found) throw new Error(`There is no ${kind}.`);
      return found;
    },
  };
}

export const invoice = ({ api, ann }: Shop, fields: object): Promise<Message> =>
  api.ok('sendInvoice', { chat_id: ann.id, ...fields });
