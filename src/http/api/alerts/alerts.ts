import { type Static, Type } from 'typebox';
import { hasScope } from '../../../core/access/access.ts';
import { type Alert, alertKindNames, kindOf } from '../../../core/alerts/alerts.ts';
import { maskAddressesIn, maskReason } from '../../../core/bots/bot-token.ts';
import { isoTime } from '../../../core/iso-time.ts';
import { type Reason, reasonFrom } from '../../../core/reasons/reason.ts';
import { stateOf } from '../../../manage/access/audit-subjects.ts';
import type { AlertLogService, AlertView, OpenAlert } from '../../../manage/alerts/alert-log.ts';
import { type Endpoint, get, post } from '../../endpoint.ts';
import { Optional, Query } from '../../schemas.ts';
import { AcknowledgeBody, AlertAnswer, MuteBody, OpenAlertAnswer } from './alert-schema.ts';
import { errorOf } from './stored-error.ts';

export function alertEndpoints({ log }: { log: AlertLogService }): Endpoint[] {
  return [
    get('Alerts', '/api/attention', {
      scope: 'read',
      chats: 'refused',
      summary: 'List what needs attention',
      description: `The open alerts as they are at this moment, for the bots the key may see; those about the service are for keys for all bots. The most severe come first, and of these the oldest. Kinds: ${alertKindNames.map((kind) => `\`${kind}\``).join(', ')}.`,
      response: Type.Array(OpenAlertAnswer),
      handler: async ({ caller }) =>
        (await log.open(caller)).map((alert) => openAlert(alert, hasScope(caller, 'manage'))),
    }),
    get('Alerts', '/api/alerts', {
      scope: 'read',
      chats: 'refused',
      summary: 'List open and resolved alerts',
      description:
        'Newest first, for the bots the key may see; alerts about the service are for keys for all bots. Resolved alerts are kept for 30 days. A condition that comes back within 15 minutes continues its alert.',
      query: Query({
        state: Optional.Choice(['open', 'resolved'], {
          description: 'Only open or only resolved alerts.',
        }),
        bot_id: Optional.Id('Only alerts of this bot.'),
        before_id: Optional.Id('Only alerts older than this ID, for paging.'),
        limit: Optional.Integer('How many.', undefined, { minimum: 1, maximum: 200, default: 50 }),
      }),
      response: Type.Array(AlertAnswer),
      errors: ['bot_not_allowed'],
      async handler({ caller, query: { bot_id, before_id, limit = 50, state } }) {
        const alerts = await log.list(caller, {
          limit,
          ...(state === undefined ? {} : { state }),
          ...(bot_id === undefined ? {} : { botId: bot_id }),
          ...(before_id === undefined ? {} : { beforeId: before_id }),
        });
        return alerts.map(recordedAlert);
      },
    }),
    post('Alerts', '/api/alerts/acknowledge', {
      audit: { before: stateOf.alert },
      scope: 'manage',
      summary: 'Acknowledge an alert',
      description:
        'Says that somebody takes care of an open alert. Channels that were not told yet are not told any more; others see the name. If somebody else acknowledged it before, their name stays: compare `acknowledged_by`. An alert that comes back is no longer acknowledged.',
      body: AcknowledgeBody,
      response: AlertAnswer,
      errors: ['not_found', 'bot_not_allowed'],
      handler: async ({ caller, body: { id, acknowledged = true } }) =>
        recordedAlert(await log.acknowledge(caller, id, acknowledged)),
    }),
    post('Alerts', '/api/alerts/mute', {
      audit: { before: stateOf.alert },
      scope: 'manage',
      summary: 'Mute an alert',
      description:
        'For a time, channels are told nothing new about an open alert, also if it comes back.',
      body: MuteBody,
      response: AlertAnswer,
      errors: ['not_found', 'bot_not_allowed'],
      handler: async ({ caller, body: { id, minutes = 60 } }) =>
        recordedAlert(await log.mute(caller, id, minutes)),
    }),
  ];
}

/** What people did about an alert. */
function handling(alert: Alert | undefined) {
  return {
    acknowledged_by: alert?.acknowledgedBy ?? '',
    acknowledged_at: isoTime(alert?.acknowledgedAt ?? 0),
    muted_until: isoTime(alert?.mutedUntil ?? 0),
    muted_by: alert?.mutedBy ?? '',
    action: alert?.acted ?? '',
    action_by: alert?.actedBy ?? '',
    action_at: isoTime(alert?.actedAt ?? 0),
  };
}

/** `isTrusted`: the key may see addresses. */
function openAlert(
  { alert, botId, evidence, kind, params, since = 0 }: OpenAlert,
  isTrusted: boolean,
): Static<typeof OpenAlertAnswer> {
  const { app, count = 0, reader, route_id, target_bot_id, why = '', why_detail } = params;
  const shown = (detail: Reason | null = null) => (isTrusted ? detail : maskReason(detail));
  const {
    text,
    textDetail,
    reason,
    reasonDetail,
    seenAt = 0,
  } = evidence ?? {
    text: why,
    ...(why_detail ? { textDetail: reasonFrom({ ...why_detail, text: why }) } : {}),
  };
  return {
    kind,
    severity: kindOf(kind).severity,
    bot_id: botId,
    params,
    ...handling(alert),
    alert_id: alert?.id ?? 0,
    count,
    since: isoTime(since),
    text: isTrusted ? text : maskAddressesIn(text),
    text_detail: shown(textDetail),
    ...(app === undefined ? {} : { app }),
    ...(reader === undefined ? {} : { reader }),
    ...(reason === undefined
      ? {}
      : { reason, reason_detail: shown(reasonDetail), seen_at: isoTime(seenAt) }),
    ...(route_id === undefined ? {} : { route_id }),
    ...(target_bot_id === undefined ? {} : { target_bot_id }),
  };
}

function recordedAlert({ alert, messages, text, url }: AlertView): Static<typeof AlertAnswer> {
  return {
    id: alert.id,
    kind: alert.kind,
    severity: alert.severity,
    bot_id: alert.botId,
    params: alert.params,
    text,
    url,
    opened_at: isoTime(alert.openedAt),
    changed_at: isoTime(alert.changedAt),
    resolved_at: isoTime(alert.resolvedAt),
    occurrences: alert.occurrences,
    ...handling(alert),
    channels: messages.map(({ channelId, error, instead, state }) => ({
      channel_id: channelId,
      state,
      ...errorOf(error),
      used_channel_id: instead,
    })),
  };
}
