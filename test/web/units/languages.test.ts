import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { reason } from '../../../src/core/reasons/reason.ts';
import * as en from '../../../web/src/i18n/en/index.ts';
import { createFormat, dateLocale } from '../../../web/src/i18n/format.ts';
import { closestLocale, completed, loadWords, locales } from '../../../web/src/i18n/locales.ts';
import { reasonWords } from '../../../web/src/i18n/reasons.ts';
import * as ru from '../../../web/src/i18n/ru/index.ts';
import { ApiError } from '../../../web/src/api/client/error.ts';
import { errorWords, sendErrorWords } from '../../../web/src/shared/error-words.ts';

const i18n = path.resolve(import.meta.dirname, '../../../web/src/i18n');

/** Every text of a language in brackets, so that texts from elsewhere show. */
function pseudo<T>(value: T): T {
  if (typeof value === 'string') return `⟦${value}⟧` as T;
  if (typeof value === 'function') {
    const say = value as unknown as (...given: unknown[]) => unknown;
    return ((...given: unknown[]) => pseudo(say(...given))) as T;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(pseudo) as T;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, pseudo(part)])) as T;
}

describe('the web UI', () => {
  it('finds every folder of text as a language', async () => {
    const folders = readdirSync(i18n, { withFileTypes: true }).filter((one) => one.isDirectory());
    expect(Object.keys(locales).toSorted()).toEqual(folders.map(({ name }) => name).toSorted());
    expect(locales['ru']).toEqual({ label: 'Русский', dir: 'ltr' });
    expect((await loadWords('ru')).common).toEqual(ru.common);
  });

  it('names a wrong field in the punctuation of the language', async () => {
    const wrong = new ApiError(400, {
      error: 'backend_url is required.',
      code: 'invalid_request',
      details: [{ field: 'backend_url', problem: 'is required' }],
    });
    expect(errorWords(wrong, en)).toBe('Backend URL: is required');
    const zh = completed(en, await loadWords('zh-CN'));
    expect(errorWords(wrong, zh)).toBe(`${zh.fieldNames['backend_url']}：is required`);
  });

  it('shows a text that a language lacks in English', () => {
    const translated = { nav: { bots: 'Боты' } };
    const words = completed(
      { nav: { bots: 'Bots', chats: 'Chats' }, empty: 'Nothing' },
      translated,
    );
    expect(words).toEqual({ nav: { bots: 'Боты', chats: 'Chats' }, empty: 'Nothing' });
  });

  it.each([
    [['ru-RU', 'en-US'], 'ru'],
    [['EN-gb'], 'en'],
    [['pt-PT'], 'pt-BR'],
    [['pt-BR'], 'pt-BR'],
    [['zh-CN'], 'zh-CN'],
    [['zh'], 'zh-CN'],
    [['zh-SG'], 'zh-CN'],
    [['zh-TW', 'ru'], 'ru'],
    [['sr-Latn'], undefined],
    [['C', ''], undefined],
  ])('finds the language for someone who reads %j', (read, found) => {
    expect(closestLocale(read, ['en', 'pt-BR', 'ru', 'zh-CN'])).toBe(found);
  });

  it('takes all words from the language, also for what the service says', () => {
    const words = completed(en, pseudo(ru));
    const whole = /^⟦.*⟧$/s;
    const texts = (value: unknown): string[] =>
      typeof value === 'string'
        ? [value]
        : typeof value === 'object' && value !== null
          ? Object.values(value).flatMap(texts)
          : [];
    for (const text of texts(words)) expect(text).toMatch(whole);
    const matched = reason('matched_routes', {
      routes: [{ route_id: 4, reason: reason('every_message') }],
    });
    expect(reasonWords('route 4: every message', matched, words.reasons)).toMatch(whole);
    const taken = new ApiError(400, {
      error: 'There is already a user anna.',
      code: 'invalid_request',
      reason_code: 'user_exists',
      params: { username: 'anna' },
    });
    expect(errorWords(taken, words)).toMatch(whole);
    const refused = reason('platform_refused_with_code', {
      description: 'Forbidden: bot was blocked by the user',
      refusal: 'blocked',
      error_code: 403,
    });
    expect(sendErrorWords('The platform refused', refused, words)).toBe(words.refusals.blocked);
  });

  it('leaves a sentence of an older version as it is', () => {
    expect(reasonWords('answered 500', null, ru.reasons)).toBe('answered 500');
    expect(
      reasonWords('answered 500', reason('backend_answered', { status: 500 }), en.reasons),
    ).toBe('answered 500');
  });

  it.each([
    ['en', ['en-US'], '4:03 PM', '4:03:05 PM', 'Wed, November 18'],
    ['en', ['en-GB'], '16:03', '16:03:05', 'Wed 18 November'],
    ['en', ['de-DE', 'en'], '16:03', '16:03:05', 'Wed, 18 November'],
    // A locale that is none, and a region without English dates.
    ['en', ['en-US@posix', 'ar-EG'], '4:03 pm', '4:03:05 pm', 'Wed, 18 November'],
    ['ru', ['ru-RU'], '16:03', '16:03:05', 'ср, 18 ноября'],
    ['zh-CN', ['zh-TW'], '下午4:03', '下午4:03:05', '11月18日周三'],
  ])('takes words from %s, order and clock from the browser: %j', (locale, browser, ...words) => {
    const { day, exactTime, time } = createFormat(locale, dateLocale(locale, browser));
    const at = new Date(new Date().getFullYear(), 10, 18, 16, 3, 5);
    const weekday = createFormat(locale).weekday(at.getDay(), 'short');
    const said = [time, exactTime, day].map((form) => form(at.getTime()).replaceAll(/\s/g, ' '));
    expect(said).toEqual(words.map((word) => word.replace(/Wed|ср|周三/, weekday)));
  });

  it('shows the day with a time that is not of today', () => {
    const { moment, time } = createFormat('en');
    const at = (days: number, year = new Date().getFullYear()) => {
      const date = new Date();
      date.setFullYear(year, date.getMonth(), date.getDate() + days);
      return { date, month: date.toLocaleString('en', { month: 'short' }) };
    };
    const now = at(0);
    expect(moment(now.date.toISOString())).toBe(time(now.date.getTime()));
    const tomorrow = at(1);
    const words = `${tomorrow.month} ${tomorrow.date.getDate()}, `;
    expect(moment(tomorrow.date.getTime())).toContain(words);
    expect(moment(at(0, 2020).date.getTime())).toContain(', 2020');
  });
});
