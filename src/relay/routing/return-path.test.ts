import { describe, expect, it } from 'vitest';
import type { BotRecord } from '../../store/bots/bots.ts';
import type { MessagePair, MessagePairRepository } from '../../store/routing/message-pairs.ts';
import type { RoutedMessageContext } from './build-routed-send.ts';
import { ownMessageReason } from './is-own-message.ts';
import { returned, returnPath } from './return-path.ts';
import type { RoutableItem } from './routing-decision.ts';

const pair: MessagePair = {
  botId: 1,
  connection: '',
  chatId: -5,
  messageId: 10,
  peerBotId: 2,
  peerConnection: '',
  peerChatId: 7,
  peerMessageId: 20,
  routeId: 3,
  style: 'copy',
  hops: 1,
};

function reply(from: object, more: object = {}): RoutableItem {
  const wire = { message_id: 11, chat: { id: -5 }, from, text: 'hello', ...more };
  const source = { botId: 1, connection: '', chatId: -5, messages: [{ id: 11, wire }] };
  const bot = { id: 1 } as BotRecord;
  return {
    bot,
    position: 4,
    source,
    userId: 0,
    threadId: undefined,
    text: 'hello',
    mediaType: null,
  };
}

describe('the return path', () => {
  it('lets people talk without limit, and stops bots that answer each other', async () => {
    const deps = {
      bots: { get: async () => ({ id: 2 }) as BotRecord },
      route: async () => undefined,
      topicOf: async () => undefined,
    };
    const hopsAfter = async (from: object, hops: number, more: object = {}) => {
      const { outcome, intents } = await returned(deps, [{ ...pair, hops }], reply(from, more));
      const context = intents[0]?.context as RoutedMessageContext | undefined;
      return outcome === 'failed' ? outcome : context?.hops;
    };
    expect(await hopsAfter({ id: 8, is_bot: false }, 9)).toBe(1);
    expect(await hopsAfter({ id: 9, is_bot: true }, 9, { sender_chat: { id: -5 } })).toBe(1);
    expect(await hopsAfter({ id: 9, is_bot: true }, 1)).toBe(2);
    expect(await hopsAfter({ id: 9, is_bot: true }, 9)).toBe(10);
    expect(await hopsAfter({ id: 9, is_bot: true }, 10)).toBe('failed');
  });

  it('is found although the send that is answered ends while it is looked for', async () => {
    let stored: MessagePair[] = [];
    let isSending = true;
    const deps: Parameters<typeof returnPath>[0] = {
      pairs: {
        of: async () => stored,
        latest: async () => undefined,
      } as unknown as MessagePairRepository,
      // The pair and the end of the send come in one commit, here after the first look.
      async isSendingTo() {
        const was = isSending;
        stored = [pair];
        return was;
      },
      route: async () => undefined,
    };
    const item = reply(
      { id: 8, is_bot: false },
      { reply_to_message: { message_id: 10, from: { id: 900, is_bot: true } } },
    );
    item.bot = { id: 1, platform_id: 900 } as BotRecord;
    isSending = false;
    expect(await returnPath(deps, item, false)).toEqual([pair]);
    stored = [];
    isSending = true;
    expect(await returnPath(deps, item, false)).toBe('unsettled');
    expect(await returnPath(deps, item, false)).toEqual([pair]);
  });
});

describe('own words', () => {
  const deps = {
    isOwnMessage: async () => false,
    isRegisteredBot: async (id: number) => id === 9,
    isSendingTo: async () => false,
  };
  const inBusiness = (wire: object) =>
    ownMessageReason(deps, {
      botId: 1,
      connection: 'b',
      chatId: 7,
      messages: [{ id: 1, wire: { chat: { id: 7 }, ...wire } }],
    });

  it("are all but the customer's in a chat of a business account", async () => {
    expect(await inBusiness({ from: { id: 7 } })).toBeUndefined();
    expect(await inBusiness({ from: { id: 6 } })).toMatchObject({
      because: { code: 'by_account_owner' },
    });
    expect(await inBusiness({ from: { id: 6 }, sender_business_bot: { id: 9 } })).toMatchObject({
      because: { code: 'by_account_bot' },
    });
    expect(await inBusiness({ from: { id: 9, is_bot: true }, chat: { id: 9 } })).toBeDefined();
  });

  it('are those of registered bots, not of others', async () => {
    const by = (id: number) => ownMessageReason(deps, reply({ id, is_bot: true }).source);
    expect(await by(9)).toBeDefined();
    expect(await by(8)).toBeUndefined();
  });
});
