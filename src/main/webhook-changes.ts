/*
 * Records changes by setWebhook and deleteWebhook at the gateway in the audit log, like any other
 * change.
 */
import { localCaller } from '../core/access/access.ts';
import { defaultApp } from '../core/apps/app.ts';
import type { ReceiverDeps } from '../http/gateway/receivers.ts';
import type { AuditLog } from '../manage/access/audit.ts';
import { stateOf } from '../manage/access/audit-subjects.ts';
import type { AppService } from '../manage/apps/apps.ts';
import type { BotService } from '../manage/bots/bots.ts';
import type { WebhookOptions, WebhookRemoval } from '../store/delivery/webhooks.ts';

interface WebhookChangesDeps {
  audit: AuditLog;
  bots: BotService;
  apps: AppService;
}

export function webhookChanges({
  audit,
  bots,
  apps,
}: WebhookChangesDeps): Pick<ReceiverDeps, 'updateBot' | 'changeApp' | 'noteDropped'> {
  const caller = { ...localCaller, name: 'Bot API gateway' };
  return {
    updateBot: (id, patch, webhook) =>
      audit.around(
        {
          caller,
          action: 'bots.update',
          rule: { subject: 'bot', before: stateOf.bot },
          input: { query: {}, body: { id, ...patch, webhook: withoutPem(webhook) } },
          requestId: '',
        },
        () => bots.update(localCaller, id, patch, webhook),
      ),
    changeApp: (id, change) => {
      const { patch, options, dropsPending } = change;
      const webhook = options && withoutPem(options);
      return audit.around(
        {
          caller,
          action: 'bots.apps.update',
          rule: { before: stateOf.app },
          input: { query: {}, body: { id, ...patch, webhook, dropsPending } },
          requestId: '',
        },
        () => apps.change(id, change),
      );
    },
    noteDropped: ({ botId, app = defaultApp, method, count }) =>
      audit.around(
        {
          caller,
          action: 'updates.drop-pending',
          rule: {},
          input: { query: {}, body: { bot_id: botId, app, method, dropped: count } },
          requestId: '',
        },
        async () => undefined,
      ),
  };
}

/** The webhook in the form that the audit log shows. */
function withoutPem(asked: WebhookOptions | WebhookRemoval): object {
  const { isSelfSet: _isSelfSet, ...webhook } = asked as WebhookOptions;
  const isUploaded = 'certificate' in webhook && webhook.certificate !== '';
  return { ...webhook, ...(isUploaded ? { certificate: 'uploaded' } : {}) };
}
