import { describe, expect, it } from 'vitest';
import type { Bot } from '../../../web/src/api/client/types.ts';
import type { Backend } from '../../../web/src/api/deliveries.ts';
import * as en from '../../../web/src/i18n/en/index.ts';
import { wellWords } from '../../../web/src/pages/overview/well-words.ts';

type Some = Pick<Bot, 'running'> & Pick<Backend, 'backend_status' | 'backend_seen_at'>;

describe('what the overview says while nothing needs anyone', () => {
  const words = (...bots: Some[]) => {
    const backends = bots.filter(({ backend_status }) => backend_status !== '');
    return wellWords(bots, backends, en.overview, now);
  };
  const now = Date.UTC(2026, 0, 2, 12);
  const bot = (backend_status: Some['backend_status'], running = true): Some => ({
    running,
    backend_status,
    backend_seen_at: new Date(now - 60_000).toISOString(),
  });

  it('says nothing of backends where there are none', () => {
    expect(words(bot(''), bot(''))).toBe('All bots are running.');
  });

  it('says that backends answer where all of them did', () => {
    expect(words(bot('ok'), bot(''))).toBe('All bots are running. All backends answer.');
    expect(words(bot('ok'), bot('unknown'))).toBe(
      'All bots are running. 1 backend is not checked yet.',
    );
    expect(words(bot('ok'), bot('failing'))).toBe('All bots are running.');
  });

  it('does not say that a backend answers which was not heard from for minutes', () => {
    const silent = {
      ...bot('ok'),
      backend_seen_at: new Date(now - 6 * 60_000).toISOString(),
    };
    expect(words(bot('ok'), silent)).toBe('All bots are running.');
  });

  it('does not say that a bot runs which is starting or disabled', () => {
    expect(words(bot('ok'), bot('', false))).toBe('All backends answer.');
    expect(words(bot('', false))).toBe('No alerts.');
  });
});
