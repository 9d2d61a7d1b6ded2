import { expect, it } from 'vitest';
import { mostUrgentFirst, toneOf } from '../../../web/src/pages/overview/alert-tone.ts';
import {
  type BotCondition,
  conditionOf,
  conditions,
} from '../../../web/src/shared/bot-condition.ts';

const well = {
  disabled: false,
  running: true,
  last_error: '',
  backend_status: 'ok',
  backend_error: '',
  backend_error_detail: null,
} as const;
const stuck = { ...well, running: false, last_error: 'The platform could not be reached.' };
const shaky = { ...well, last_error: 'The platform could not be reached.' };
const unreached = {
  ...well,
  backend_status: 'failing',
  backend_error: 'connection refused by 127.0.0.1:9',
} as const;
const refusing = {
  ...unreached,
  backend_error: 'answered 500',
  backend_error_detail: { code: 'backend_answered', params: { status: 500 } },
} as const;
const paused = { ...well, backend_status: 'paused' } as const;

it.each([
  ['bot_refused', stuck],
  ['bot_trouble', stuck],
  ['bot_trouble', shaky],
  ['backend_down', unreached],
  ['backend_down', paused],
  ['chats_in_retry', refusing],
] as const)('%s has the colour of the state of its bot: %o', (kind, bot) => {
  expect(toneOf(kind, bot)).toBe(conditions[conditionOf(bot)]);
});

it('lists what is red before what is amber, and keeps the order of the service within', () => {
  const bots = new Map<number, BotCondition>([
    [1, shaky],
    [2, unreached],
    [3, stuck],
  ]);
  const alerts = [
    { kind: 'bot_trouble', bot_id: 1 },
    { kind: 'bot_trouble', bot_id: 3 },
    { kind: 'backend_down', bot_id: 2 },
    { kind: 'bot_disabled', bot_id: 4 },
    { kind: 'dead_letters', bot_id: 4 },
  ] as const;
  expect(mostUrgentFirst(alerts, bots).map(({ bot_id, kind }) => `${bot_id} ${kind}`)).toEqual([
    '3 bot_trouble',
    '2 backend_down',
    '4 dead_letters',
    '1 bot_trouble',
    '4 bot_disabled',
  ]);
});
