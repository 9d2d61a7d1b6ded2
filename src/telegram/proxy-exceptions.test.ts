import { expect, it } from 'vitest';
import { isReachedDirectly } from './proxy-exceptions.ts';

it.each([
  'localhost',
  'bot-api',
  'bot-api.internal',
  'bot-api.internal.',
  'relay.localhost',
  'server.local',
  'server.home.arpa',
  '127.0.0.1',
  '10.1.2.3',
  '192.168.1.1',
  '::1',
  'fd00::1',
])('%s is local', (host) => {
  expect(isReachedDirectly(host, 443, [])).toBe(true);
});

it.each(['api.telegram.org', 'API.TELEGRAM.ORG', '149.154.167.220', '2001:67c:4e8::1'])(
  '%s is not local',
  (host) => {
    expect(isReachedDirectly(host, 443, [])).toBe(false);
  },
);

it.each([
  ['*', 'api.telegram.org', true],
  ['telegram.org', 'api.telegram.org', true],
  ['.telegram.org', 'telegram.org', true],
  ['*.telegram.org', 'api.telegram.org', true],
  ['gram.org', 'api.telegram.org', false],
  ['api.telegram.org:443', 'api.telegram.org', true],
  ['api.telegram.org:80', 'api.telegram.org', false],
  ['149.154.160.0/20', '149.154.167.220', true],
  ['149.154.160.0/28', '149.154.167.220', false],
  ['149.154.167.220', '149.154.167.220', true],
  ['149.154.167.220:443', '149.154.167.220', true],
  ['[2001:67c:4e8::1]:443', '2001:67c:4e8:0::1', true],
  ['2001:67c:4e8::1', '2001:67c:4e8::1', true],
  ['2001:67c:4e8::/48', '2001:67c:4e8::1', true],
  ['2001:67c:4e8::/48', '149.154.167.220', false],
  ['149.154.160.0/20', 'api.telegram.org', false],
])('the exception %s and %s: %s', (exception, host, isDirect) => {
  expect(isReachedDirectly(host, 443, ['other', exception])).toBe(isDirect);
});
