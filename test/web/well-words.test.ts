import { describe, expect, it } from 'vitest';
import type { Bot } from '../../web/src/api/types.ts';
import { en } from '../../web/src/i18n/en.ts';
import { wellWords } from '../../web/src/pages/overview/well-words.ts';

type Some = Pick<Bot, 'running' | 'backend_status'>;

describe('what the overview says while nothing needs anyone', () => {
  const words = (...bots: Some[]) => wellWords(bots, en.overview);
  const bot = (backend_status: Some['backend_status'], running = true): Some => ({
    running,
    backend_status,
  });

  it('says nothing of backends where there are none', () => {
    expect(words(bot(''), bot(''))).toBe('Every bot runs.');
  });

  it('says that backends answer where all of them did', () => {
    expect(words(bot('ok'), bot(''))).toBe('Every bot runs. Every backend answers.');
    expect(words(bot('ok'), bot('unknown'))).toBe('Every bot runs. 1 backend is not checked yet.');
    expect(words(bot('ok'), bot('failing'))).toBe('Every bot runs.');
  });

  it('does not say that a bot runs which is starting or disabled', () => {
    expect(words(bot('ok'), bot('', false))).toBe('Every backend answers.');
    expect(words(bot('', false))).toBe('Nothing needs attention.');
  });
});
