import { expect, it } from 'vitest';
import { alertLink } from '../../../web/src/shared/alerts/alert-link.ts';

it.each(['desk_waiting', 'desk_unanswered'] as const)(
  'an alert about a desk leads to it: %s',
  (kind) => {
    const alert = { kind, bot_id: 3, params: { desk_id: 5 }, severity: 'critical' } as const;
    expect(alertLink(alert)).toEqual({ to: '/desks', search: { desk: 5 } });
  },
);
