import { Type } from 'typebox';
import { type Caller, hasScope } from '../../../core/access/access.ts';
import { maskAddressesIn, maskReason } from '../../../core/bots/bot-token.ts';
import type { Reason } from '../../../core/reasons/reason.ts';
import { type Alert, attentionKinds } from '../../../core/alerts/alerts.ts';
import { type Endpoint, get } from '../../endpoint.ts';
import { isoTime } from '../../../core/iso-time.ts';
import { AlertAnswer } from './alert-schema.ts';

export function alertEndpoints(deps: { alerts(caller: Caller): Promise<Alert[]> }): Endpoint[] {
  return [
    get('Operation', '/api/attention', {
      scope: 'read',
      summary: 'List alerts',
      description: `What needs attention, most urgent first, for the bots the key may see. Kinds, in this order: ${attentionKinds.map((kind) => `\`${kind}\``).join(', ')}.`,
      response: Type.Array(AlertAnswer),
      async handler({ caller }) {
        const trusted = hasScope(caller, 'manage');
        const shown = (detail: Reason | null = null) => (trusted ? detail : maskReason(detail));
        return (await deps.alerts(caller)).map((alert) => ({
          kind: alert.kind,
          bot_id: alert.botId,
          count: alert.count,
          since: isoTime(alert.since),
          text: trusted ? alert.text : maskAddressesIn(alert.text),
          text_detail: shown(alert.detail),
          ...(alert.app === undefined ? {} : { app: alert.app }),
          ...(alert.reader === undefined ? {} : { reader: alert.reader }),
          ...(alert.reason === undefined
            ? {}
            : { reason: alert.reason, reason_detail: shown(alert.reasonDetail) }),
          ...(alert.seenAt === undefined ? {} : { seen_at: isoTime(alert.seenAt) }),
          ...(alert.routeId === undefined ? {} : { route_id: alert.routeId }),
          ...(alert.targetBotId === undefined ? {} : { target_bot_id: alert.targetBotId }),
        }));
      },
    }),
  ];
}
