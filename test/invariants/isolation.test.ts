import { describe, expect, it, vi } from 'vitest';
import { eitherDialect } from '../support/database/engines.ts';
import { message } from './support/held-platform.ts';
import { addBot, createStage } from './support/stage.ts';

const [troubled, healthy, stuck] = ['7301:AAtroubled', '7302:AAhealthy', '7303:AAstuck'];
const rounds = 15;
const [failingChat, silentChat, wellChat] = [31, 32, 33];

describe.each(eitherDialect)('invariant 5, push on %s', (dialect) => {
  it('a chat or a backend in trouble never delays another', async () => {
    const { platform, sink, start } = await createStage(dialect);
    const service = await start();
    let isHealed = false;
    sink.respond = ({ path, chatId }, response) => {
      if (path === '/stuck' || (path === '/troubled' && chatId === silentChat)) return;
      const fails = path === '/troubled' && chatId === failingChat && !isHealed;
      response.writeHead(fails ? 500 : 200).end();
    };
    for (const token of [troubled, healthy, stuck]) {
      const backend_url = `${sink.url}/${token.split('AA')[1]}`;
      await addBot(service, { token, proxy_enabled: true, backend_url });
    }
    const arrived = (path: string, chatId: number) =>
      sink.arrivals
        .filter((arrival) => arrival.path === path && arrival.chatId === chatId)
        .map(({ updateId }) => updateId);

    const dealt = new Map<number, number[]>();
    let id = 0;
    for (let round = 0; round < rounds; round++) {
      for (const chatId of [failingChat, silentChat, wellChat]) {
        id++;
        dealt.set(chatId, [...(dealt.get(chatId) ?? []), id]);
        for (const token of [troubled, healthy, stuck]) platform.deal(token, message(id, chatId));
      }
    }
    await vi.waitFor(
      () => {
        expect(arrived('/troubled', wellChat)).toEqual(dealt.get(wellChat));
        for (const [chatId, ids] of dealt) expect(arrived('/healthy', chatId)).toEqual(ids);
      },
      { interval: 20 },
    );
    // In trouble, a chat has its head tried and nothing behind it.
    const [head] = dealt.get(failingChat) as number[];
    expect(new Set(arrived('/troubled', failingChat))).toEqual(new Set([head]));
    expect(arrived('/troubled', silentChat)).toHaveLength(1);
    for (const chatId of dealt.keys()) expect(arrived('/stuck', chatId)).toHaveLength(1);

    isHealed = true;
    await vi.waitFor(
      () => expect([...new Set(arrived('/troubled', failingChat))]).toEqual(dealt.get(failingChat)),
      { interval: 50 },
    );
  });
});
