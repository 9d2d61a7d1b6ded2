import { expect, it } from 'vitest';
import * as en from '../../../web/src/i18n/en/index.ts';
import * as ru from '../../../web/src/i18n/ru/index.ts';
import { conditionOf, conditions } from '../../../web/src/shared/bot-condition.ts';

const well = {
  disabled: false,
  running: true,
  last_error: '',
  backend_status: '',
  backend_error: '',
  backend_error_detail: null,
} as const;
const answered = {
  backend_error: 'answered 500',
  backend_error_detail: { code: 'backend_answered', params: { status: 500 } },
};
const refusal = 'connection refused by 127.0.0.1:9';

it.each([
  ['running', {}],
  ['running', { backend_status: 'ok' }],
  ['shaky', { last_error: 'webhook' }],
  ['backendFailing', { backend_status: 'failing' }],
  ['backendFailing', { backend_status: 'failing', last_error: 'webhook' }],
  ['backendFailing', { backend_status: 'failing', ...answered }],
  ['backendDown', { backend_status: 'failing', backend_error: refusal }],
  ['backendDown', { backend_status: 'paused' }],
  ['backendDown', { backend_status: 'paused', running: false }],
  ['starting', { running: false }],
  ['stuck', { running: false, last_error: 'token' }],
  ['stuck', { running: false, last_error: 'token', backend_status: 'paused' }],
  ['disabled', { disabled: true, running: false, last_error: 'x', backend_status: 'failing' }],
] as const)('a bot is %s when %o', (condition, how) => {
  expect(conditionOf({ ...well, ...how })).toBe(condition);
});

it('every language has the words for each condition of a bot, on every page', () => {
  const known = Object.keys(conditions).toSorted();
  for (const { bots, overview } of [en, ru]) {
    expect(Object.keys(bots.conditions).toSorted()).toEqual(known);
    expect(Object.keys(overview.states).toSorted()).toEqual(known);
  }
  expect(en.overview.states).toEqual(en.bots.conditions);
});
