import { Type } from 'typebox';
import { type Caller, hasScope } from '../../../core/access/access.ts';
import { maskAddressesIn } from '../../../core/bots/bot-token.ts';
import { type Finding, findingKinds } from '../../../core/ops/alerts.ts';
import { type Endpoint, endpoint } from '../../endpoint.ts';
import { isoMoment } from '../../moment.ts';
import { FindingAnswer } from './alert-schema.ts';

export function attentionEndpoints(deps: {
  attention(caller: Caller): Promise<Finding[]>;
}): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/api/attention',
      scope: 'read',
      tag: 'Operation',
      summary: 'What someone should look at, the most urgent first',
      description: `Of the bots the key may see. Kinds, in their order: ${findingKinds.map((kind) => `\`${kind}\``).join(', ')}.`,
      response: Type.Array(FindingAnswer),
      async handler({ caller }) {
        const trusted = hasScope(caller, 'manage');
        return (await deps.attention(caller)).map((finding) => ({
          kind: finding.kind,
          bot_id: finding.botId,
          count: finding.count,
          since: isoMoment(finding.since),
          text: trusted ? finding.text : maskAddressesIn(finding.text),
          ...(finding.reader === undefined ? {} : { reader: finding.reader }),
          ...(finding.reason === undefined ? {} : { reason: finding.reason }),
          ...(finding.seenAt === undefined ? {} : { seen_at: isoMoment(finding.seenAt) }),
          ...(finding.routeId === undefined ? {} : { route_id: finding.routeId }),
          ...(finding.targetBotId === undefined ? {} : { target_bot_id: finding.targetBotId }),
        }));
      },
    }),
  ];
}
