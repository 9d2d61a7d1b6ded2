import { expect, it } from 'vitest';
import { bySeverityAndAge } from './alerts.ts';

it('open alerts come in the order of severity, then of age; those of unknown age are new', () => {
  const alert = (kind: 'backend_down' | 'bot_refused' | 'dead_letters', since?: number) => ({
    kind,
    botId: 1,
    params: {},
    ...(since === undefined ? {} : { since }),
  });
  const sorted = [
    alert('dead_letters', 1),
    alert('backend_down'),
    alert('bot_refused', 7),
    alert('backend_down', 5),
  ].toSorted(bySeverityAndAge);
  expect(sorted.map(({ kind, since }) => [kind, since])).toEqual([
    ['backend_down', 5],
    ['bot_refused', 7],
    ['backend_down', undefined],
    ['dead_letters', 1],
  ]);
});
