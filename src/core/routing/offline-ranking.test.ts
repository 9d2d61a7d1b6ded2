import { describe, expect, it } from 'vitest';
import { cpuMs } from '../../../test/support/cpu-time.ts';
import { labelledBots, labelledMessages } from '../../../test/data/labelled-messages.ts';
import { rankOffline } from './offline-ranking.ts';

const candidates = labelledBots.map(({ name, description }, index) => ({
  botId: index + 1,
  name,
  description,
}));

function rank(text: string): string | undefined {
  const { botId } = rankOffline(candidates, text);
  return botId === null ? undefined : labelledBots[botId - 1]?.key;
}

describe('offline ranking', () => {
  it('finds the right bot for at least 80 % of the labelled messages', () => {
    const results = Object.entries(labelledMessages).flatMap(([key, byLanguage]) =>
      Object.entries(byLanguage).flatMap(([language, texts]) =>
        texts.map((text) => ({ language, text, right: rank(text) === key, wanted: key })),
      ),
    );
    expect(results.length).toBeGreaterThanOrEqual(200);
    const wrong = results.filter((result) => !result.right);
    const accuracy = 1 - wrong.length / results.length;
    expect(
      accuracy,
      wrong.map(({ wanted, text }) => `${wanted}: ${text}`).join('\n'),
    ).toBeGreaterThan(0.8);
    for (const language of ['en', 'ru', 'es', 'de', 'zh']) {
      const ofLanguage = results.filter((result) => result.language === language);
      const share = ofLanguage.filter((result) => result.right).length / ofLanguage.length;
      expect(share, language).toBeGreaterThan(0.7);
    }
  });

  it('chooses nobody for what fits no description', () => {
    for (const text of ['👍', 'ok', 'lol', '', '???', 'хаха', '哈'])
      expect(rank(text)).toBeUndefined();
  });

  it('goes by examples as well', () => {
    const bots = [
      { botId: 1, name: 'Desk one', description: 'Money', examples: ['where is my parcel'] },
      { botId: 2, name: 'Desk two', description: 'Travel' },
    ];
    expect(rankOffline(bots, 'My parcel never came').botId).toBe(1);
  });

  it('names the words that decided, in the order of the message', () => {
    const bots = [{ botId: 1, name: 'Desk', description: 'parcel money' }];
    expect(rankOffline(bots, 'my money, my parcel')).toMatchObject({
      botId: 1,
      because: ['money', 'parcel', 'parce*'],
    });
  });

  it('takes no longer for texts without a word twice', () => {
    const signs = String.fromCodePoint(...Array.from({ length: 4_096 }, (_, at) => 0x4e00 + at));
    const bots = Array.from({ length: 10 }, (_, at) => ({
      botId: at + 1,
      name: '',
      description: signs,
    }));
    const startedAt = cpuMs();
    rankOffline(bots, signs);
    // With a tree by the first letters it took ten seconds.
    expect(cpuMs() - startedAt).toBeLessThan(2_000);
  });

  it('chooses nobody among nobody', () => {
    expect(rankOffline([], 'refund')).toMatchObject({ botId: null });
  });

  it('reads every script that puts no spaces between words', () => {
    const words = {
      lao: 'ກນພ',
      khmer: 'កខគ',
      burmese: 'ကခဂ',
      thai: 'กขค',
      chinese: '發票問題',
    };
    const bots = Object.values(words).map((description, at) => ({
      botId: at + 1,
      name: '',
      description,
    }));
    const chosen = Object.values(words).map((text) => rankOffline(bots, text).botId);
    expect(chosen).toEqual([1, 2, 3, 4, 5]);
  });
});
