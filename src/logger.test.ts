import { describe, expect, it } from 'vitest';
import { newAppToken } from './core/apps/app.ts';
import { createLogger, redactText } from './logger.ts';

describe('logger', () => {
  it('redacts tokens, keys and passwords anywhere in a line', () => {
    for (const [text, clean] of [
      ['GET /bot123456:AAbbCCddEE/getMe', 'GET /bot[token]/getMe'],
      ['token 123456:AAbbCCddEE.', 'token [token].'],
      [`/p/shop/bot${newAppToken('123456:AAbbCCddEE')}/getMe`, '/p/shop/bot[token]/getMe'],
      ['Bearer brs_abcDEF-123', 'Bearer [key]'],
      ['{"m":"Bearer brs_abc+de/f==","n":1}', '{"m":"Bearer [key]","n":1}'],
      ['postgres://relay:hunter2@db/relay', 'postgres://relay:[password]@db/relay'],
      ['at 12:34:56 nothing secret', 'at 12:34:56 nothing secret'],
    ] as const) {
      expect(redactText(text)).toBe(clean);
    }
  });

  it('censors by the name of the field and within errors', () => {
    const lines: string[] = [];
    const logger = createLogger({ level: 'info', write: (line) => lines.push(line) });
    logger.info({ token: 'x', body: { text: 'hello', password: 'y' } }, 'one');
    logger.error({ err: new Error('failed for 123456:AAbbCCddEE') }, 'two');
    const written = lines.join('');
    for (const secret of ['"x"', 'hello', '"y"', 'AAbbCCddEE'])
      expect(written).not.toContain(secret);
    expect(written).toContain('[redacted]');
  });

  it('tells of an error what it is, and nothing that it carries', () => {
    const lines: string[] = [];
    const logger = createLogger({ level: 'info', write: (line) => lines.push(line) });
    const detail = 'Failing row contains (1, hello).';
    const error = Object.assign(new Error('null value'), { code: '23502', detail });
    logger.warn({ err: error }, 'one');
    logger.warn({ err: new Error('outer', { cause: error }) }, 'two');
    logger.warn({ err: 'hello' }, 'three');
    const written = lines.join('');
    expect(written).not.toContain('hello');
    expect(written).toContain('"code":"23502"');
    expect(written).toContain('outer: null value');
  });
});
