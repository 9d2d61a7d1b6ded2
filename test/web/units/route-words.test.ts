import { reason } from '../../../src/core/reasons/reason.ts';
import { describe, expect, it } from 'vitest';
import type { NewRoute } from '../../../web/src/api/routes.ts';
import * as en from '../../../web/src/i18n/en/index.ts';
import type { Bot, Route } from '../../../web/src/api/client/types.ts';
import { routeNames } from '../../../web/src/pages/routes/route-names.ts';
import { askedRoutes } from '../../../web/src/pages/routes/asked-routes.ts';
import { routeWords } from '../../../web/src/pages/routes/route-words.ts';

const names = { bot: (id: number) => `Bot ${id}`, chat: (id: number) => `chat ${id}` };

function sentence(condition_type: 'keyword' | 'regex' | 'media', condition_value: string): string {
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

  it('does not quote a value that is not there', () => {
    expect(sentence('keyword', ' ')).toContain('receives a message that meets the condition, Bot');
    expect(sentence('regex', '')).toContain('receives a message that meets the condition, Bot');
  });

  it('names media with an article', () => {
    expect(sentence('media', 'photo')).toContain('a message with a photo,');
    expect(sentence('media', 'voice, animation')).toContain('a voice message or an animation,');
    expect(sentence('media', '')).toContain('a message with any media,');
  });

  it('shows a pattern as it is, commas and all', () => {
    expect(sentence('regex', '\\d{4,6}')).toContain('that matches “\\d{4,6}”,');
  });
});

describe('the name of a route', () => {
  const bots = ['Front', 'Back', 'Desk'].map((name, index) => ({ id: index + 1, name })) as Bot[];
  const route = (id: number, source_bot_id: number, target_bot_id: number, more = {}) =>
    ({ id, source_bot_id, target_bot_id, action: 'copy', description: '', ...more }) as Route;
  const namesOf = (routes: Route[]) => {
    const { route: nameOf, say } = routeNames(en, { bots, routes, titleOf: () => undefined });
    return { all: routes.map(({ id }) => nameOf(id)), say };
  };

  it('is its note, or where it leads from and to', () => {
    const { all, say } = namesOf([
      route(11, 1, 2),
      route(12, 1, 3, { description: 'Refunds' }),
      route(13, 2, 1),
      route(14, 3, 1, { action: 'drop' }),
    ]);
    expect(all).toEqual(['Front → Back', '“Refunds”', 'Back → Front', 'Desk → dropped']);
    const routes = [11, 13].map((route_id) => ({ route_id, reason: reason('every_message') }));
    const matched = reason('matched_routes', { routes });
    expect(say('route 11: every message; route 13: every message', matched)).toBe(
      'route Front → Back: every message; route Back → Front: every message',
    );
  });

  it('is never the same for two', () => {
    const { all } = namesOf([
      route(11, 1, 2),
      route(12, 1, 2),
      route(13, 1, 2, { description: 'Night' }),
      route(14, 2, 3, { description: 'Night' }),
    ]);
    expect(all).toEqual([
      'Front → Back (1)',
      'Front → Back (2)',
      '“Night” Front → Back',
      '“Night” Back → Desk',
    ]);
  });
});

describe('the routes that were asked', () => {
  const words = { route: (id: number) => `“r${id}”`, more: en.decisions.more };

  it('are named one by one, never as a range of names', () => {
    expect(askedRoutes('4', words)).toBe('“r4”');
    expect(askedRoutes('1-3,7', words)).toBe('“r1”, “r2”, “r3”, “r7”');
  });

  it('are counted where they are many', () => {
    expect(askedRoutes('1-2,11-1000', words)).toBe(
      '“r1”, “r2”, “r11”, “r12”, “r13”, “r14”, “r15”, “r16”, 984 more',
    );
  });
});
