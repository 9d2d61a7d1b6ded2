import { describe, expect, it } from 'vitest';
import type { NewRoute } from '../../web/src/api/routes.ts';
import { en } from '../../web/src/i18n/en.ts';
import { routeWords } from '../../web/src/pages/routes/route-words.ts';

const names = { bot: (id: number) => `Bot ${id}`, chat: (id: number) => `chat ${id}` };

function sentence(condition_type: 'keyword' | 'regex', condition_value: string): string {
  const route: NewRoute = {
    source_bot_id: 1,
    target_bot_id: 2,
    condition_type,
    condition_value,
    action: 'copy',
  };
  return routeWords(route, names, en);
}

describe('a route in words', () => {
  it('says that one of its keywords is enough', () => {
    expect(sentence('keyword', 'refund')).toContain('with the word “refund”,');
    expect(sentence('keyword', 'refund, money back')).toContain('“refund” or “money back”,');
    expect(sentence('keyword', 'refund,invoice, bill,')).toContain(
      '“refund”, “invoice” or “bill”,',
    );
  });

  it('shows a pattern as it is, commas and all', () => {
    expect(sentence('regex', '\\d{4,6}')).toContain('that fits “\\d{4,6}”,');
  });
});
