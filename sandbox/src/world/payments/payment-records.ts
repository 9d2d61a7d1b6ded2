import type { LabeledPrice, OrderInfo, PaidMedia, ShippingOption } from '@grammyjs/types';

/** What an invoice or paid media requires, in addition to what its message shows. */
export interface BillRecord {
  /** The ID is the same in every copy of the invoice. */
  id: string;
  botId: number;
  payload: string;
  currency: string;
  prices: LabeledPrice[];
  maxTip: number;
  /** The bot calculates the shipping cost once it has the address. */
  isFlexible: boolean;
  needs: (keyof OrderInfo)[];
  /** Paid media is bought at once, without asking the bot; in a channel the stars go to the channel. */
  media?: { items: PaidMedia[]; inChannel: boolean };
}

/** Somebody paying an invoice, step by step. */
export interface PaymentRecord {
  id: string;
  bill: BillRecord;
  userId: number;
  /**
   * `shipping` and `checkout` wait for the bot, `choose_shipping` for the person; `expired` means
   * that the bot did not answer in time.
   */
  status: 'shipping' | 'choose_shipping' | 'checkout' | 'paid' | 'refused' | 'expired' | 'refunded';
  /** The query that the bot has to answer, and until when: milliseconds since 1970. */
  queryId: string;
  endsAtMs: number;
  tip: number;
  orderInfo?: OrderInfo;
  shippingOptions?: ShippingOption[];
  shippingOption?: ShippingOption;
  /** Why the bot refused. */
  error?: string;
  chargeId?: string;
}
