import { Button, TextInput } from '@mantine/core';
import { randomText } from '../../../api/client/random-text.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { PasswordField } from '../../../ui/forms/password-field.tsx';
import type { AppDraft } from './app-draft.ts';
import css from './apps.module.css';

/** The backend of an app. */
export function WebhookFields(props: {
  draft: AppDraft;
  problem: (field: string) => string | undefined;
  onChange: (part: Partial<AppDraft>) => void;
}) {
  const t = useT();
  const { apps } = t;
  return (
    <div className={css.part}>
      <TextInput
        label={t.bot.settings.backend_url.label}
        description={t.bot.settings.backend_url.hint}
        placeholder="https://example.com/updates"
        type="url"
        value={props.draft.backend_url}
        error={props.problem('backend_url')}
        onChange={(event) => props.onChange({ backend_url: event.currentTarget.value })}
      />
      <div className={css.secret}>
        <PasswordField
          label={apps.secret}
          description={apps.secretHint}
          autoComplete="off"
          value={props.draft.secret_token}
          error={props.problem('secret_token')}
          onChange={(secret_token) => props.onChange({ secret_token })}
        />
        <Button variant="default" onClick={() => props.onChange({ secret_token: randomText() })}>
          {t.bot.makeSecret}
        </Button>
      </div>
    </div>
  );
}
