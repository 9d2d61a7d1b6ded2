import { Button } from '@mantine/core';
import { useState } from 'react';
import { botHealthQuery, botsQuery, restoreWebhook } from '../../../api/bots.ts';
import type { Bot, BotHealth } from '../../../api/client/types.ts';
import { useMay } from '../../../shared/use-session.ts';
import { reasonWords } from '../../../i18n/reasons.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { Dialog } from '../../../ui/feedback/dialog.tsx';
import { FormEnd } from '../../../shared/form-end.tsx';
import { Panel } from '../../../ui/page.tsx';
import { PasswordField } from '../../../ui/forms/password-field.tsx';
import { Facts } from '../../../ui/side-panel.tsx';
import { TimeAgo } from '../../../ui/text/time-ago.tsx';
import { toast } from '../../../ui/feedback/toast.tsx';
import { useAction } from '../../../shared/use-action.ts';
import { withoutReload } from '../../../ui/forms/without-reload.ts';

type Webhook = NonNullable<BotHealth['previous_webhook']>;

/** The webhook the bot had before the relay took it over, and how to restore it. */
export function PreviousWebhook(props: { bot: Bot; webhook: Webhook }) {
  const { bot, webhook } = props;
  const { bot: words } = useT();
  const may = useMay('bots', 'manage');
  const [asking, setAsking] = useState(false);
  return (
    <Panel title={words.webhookTitle} hint={words.webhookBefore}>
      {webhook.url === '' ? (
        <p style={{ marginTop: 0 }}>{words.webhookHidden}</p>
      ) : (
        <p className="mono" style={{ marginTop: 0, overflowWrap: 'anywhere' }}>
          {webhook.url}
        </p>
      )}
      <Facts
        facts={[
          [
            words.webhookRemoved,
            webhook.removed_at === '' ? '' : <TimeAgo at={webhook.removed_at} />,
          ],
          [words.webhookKinds, webhook.allowed_updates.join(', ') || words.webhookAllKinds],
          [
            words.webhookConnections,
            webhook.max_connections === 0 ? '' : String(webhook.max_connections),
          ],
        ]}
      />
      {may ? (
        <Button size="compact-sm" variant="light" onClick={() => setAsking(true)}>
          {words.restoreWebhook}
        </Button>
      ) : null}
      {asking ? (
        <RestoreDialog bot={bot} webhook={webhook} onClose={() => setAsking(false)} />
      ) : null}
    </Panel>
  );
}

function RestoreDialog(props: { bot: Bot; webhook: Webhook; onClose: () => void }) {
  const { bot, webhook } = props;
  const t = useT();
  const words = t.bot;
  const [secret, setSecret] = useState('');
  const restore = useAction({
    run: () => restoreWebhook(bot.id, secret),
    quiet: true,
    refreshes: [botsQuery.queryKey, botHealthQuery(bot.id).queryKey],
    done: ({ url, warnings, warnings_detail }) => {
      props.onClose();
      const detail = warnings.map((text, at) => reasonWords(text, warnings_detail[at], t.reasons));
      toast(words.webhookRestored(url), { detail: detail.join(' ') });
    },
  });
  return (
    <Dialog onClose={props.onClose} title={words.restoreWebhookAsk}>
      <form onSubmit={withoutReload(() => restore.mutate(undefined))}>
        <p style={{ marginTop: 0 }}>{words.restoreWebhookMeans}</p>
        {webhook.has_custom_certificate ? <p>{words.webhookCertificate}</p> : null}
        <PasswordField
          label={words.settings.secret_token.label}
          description={words.webhookSecretHint}
          autoComplete="off"
          value={secret}
          onChange={setSecret}
        />
        <FormEnd
          submit={words.restoreWebhookDo}
          error={restore.error}
          busy={restore.isPending}
          onCancel={props.onClose}
        />
      </form>
    </Dialog>
  );
}
