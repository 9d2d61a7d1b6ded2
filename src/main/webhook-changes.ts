/* What setWebhook and deleteWebhook change, at the gateway: written to the audit log like any change. */
import { localCaller } from '../core/access/access.ts';
import { pushReader } from '../core/log/reader-kinds.ts';
import type { ReceiverDeps } from '../http/gateway/receivers.ts';
import type { AuditLog } from '../manage/access/audit.ts';
import { stateOf } from '../manage/access/audit-subjects.ts';
import type { AppService } from '../manage/apps/apps.ts';
import type { BotService } from '../manage/bots/bots.ts';
import type { WebhookOptions, WebhookRemoval } from '../store/delivery/webhooks.ts';
import type { Relay } from './relay.ts';

interface WebhookChangesDeps {
  audit: AuditLog;
  bots: BotService;
  apps: AppService;
  relay: Pick<Relay, 'pushers' | 'runner'>;
}

/** How long deleteWebhook waits for deliveries in flight. */
export const lastDeliveriesMs = 2_000;

export function webhookChanges({
  audit,
  bots,
  apps,
  relay,
}: WebhookChangesDeps): Pick<ReceiverDeps, 'updateBot' | 'changeApp'> {
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
        async () => {
          // What is in flight is finished first, so that it is not polled as well, and calls in its answers
          // are not lost with what is dropped.
          const stops = 'isRemoved' in webhook || webhook.dropsPending === true;
          if (stops) await relay.pushers.stop(id, lastDeliveriesMs, pushReader);
          try {
            return await bots.update(localCaller, id, patch, webhook);
          } catch (error) {
            if (stops) await relay.runner.apply(id).catch(() => {});
            throw error;
          }
        },
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
  };
}

/** As the audit log shows it. */
function withoutPem(webhook: WebhookOptions | WebhookRemoval): object {
  const isUploaded = 'certificate' in webhook && webhook.certificate !== '';
  return { ...webhook, ...(isUploaded ? { certificate: 'uploaded' } : {}) };
}
