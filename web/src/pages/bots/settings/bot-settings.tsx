import { Button, Group, Switch, Textarea, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ChangeEvent, type ReactNode, useEffect, useState } from 'react';
import {
  type BotChange,
  botSections,
  botSetting,
  type BotSettingName,
  botSettingNames,
  type BotSwitch,
  isBotSwitch,
  cacheBot,
  updateBot,
} from '../../../api/bots.ts';
import { randomText } from '../../../api/client/random-text.ts';
import type { Bot } from '../../../api/client/types.ts';
import { useMay } from '../../../shared/use-session.ts';
import { useT } from '../../../i18n/use-t.tsx';
import {
  errorDetail,
  errorWords,
  fieldProblem,
  wrongFields,
  wrongFieldWords,
} from '../../../shared/error-words.ts';
import { KeepDraft } from '../../../ui/forms/keep-draft.tsx';
import { Panel } from '../../../ui/page.tsx';
import { PasswordField } from '../../../ui/forms/password-field.tsx';
import { SettingRow } from '../../../ui/forms/setting-row.tsx';
import { useAction } from '../../../shared/use-action.ts';
import { useFormError } from '../../../shared/use-form-error.ts';
import { unsaved } from '../../../ui/forms/unsaved.ts';
import { useWrongField } from '../../../ui/forms/use-wrong-field.ts';
import { Warning } from '../../../ui/feedback/warning.tsx';
import { BotHealth } from '../bot-health.tsx';
import { withoutReload } from '../../../ui/forms/without-reload.ts';
import css from '../bots.module.css';
import { useBackendCheck } from '../delivery/use-backend-check.ts';

type Draft = Partial<Omit<BotChange, 'id' | 'token'>>;

export function BotSettings(props: { bot: Bot }) {
  const { bot } = props;
  const t = useT();
  const may = useMay('manage');
  const client = useQueryClient();
  const [draft, setDraft] = useState<Draft>({});
  const shown = { ...bot, ...draft };
  const changed = Object.entries(draft).some(([name, value]) => bot[name as keyof Bot] !== value);
  useEffect(() => {
    if (changed) document.activeElement?.scrollIntoView({ block: 'nearest' });
  }, [changed]);
  const takeBack = useAction({ run: updateBot, done: (saved) => cacheBot(client, saved) });
  const backend = useBackendCheck(bot.id);
  const save = useAction({
    run: ({ change }: { change: BotChange; before: BotChange }) => updateBot(change),
    quiet: true,
    done: (saved, { before, change }) => {
      cacheBot(client, saved);
      // Text entered while saving is not saved yet.
      setDraft((now) => unsaved(now, change));
      const isOther = change.backend_url !== undefined || change.proxy_enabled !== undefined;
      if (isOther && saved.backend_status !== '') backend.mutate(undefined);
      return { words: t.common.saved, undo: () => takeBack.mutate(before) };
    },
  });
  const set = (part: Draft) => setDraft((before) => ({ ...before, ...part }));
  const error = useFormError(save.error, draft);
  const problem = (field: string) => fieldProblem(error, field, t);
  const form = useWrongField(save.error);
  const wrong = wrongFields(error);
  const refusal =
    wrong.length > 0
      ? wrong.map((one) => wrongFieldWords(one, t)).join(' ')
      : [errorWords(error, t), errorDetail(error, t)].join(' ');

  function onSubmit(): void {
    // Read the values before the request, because an event may bring the changed bot before the
    // response.
    const before = Object.fromEntries(
      (Object.keys(draft) as (keyof Draft)[]).map((name) => [name, bot[name]]),
    );
    save.mutate({ change: { id: bot.id, ...draft }, before: { id: bot.id, ...before } });
  }
  function discard(): void {
    setDraft({});
    save.reset();
  }
  function flag(name: BotSwitch, extra?: ReactNode) {
    const { label, hint } = t.bot.settings[name];
    const wrong = problem(name);
    return (
      <SettingRow
        key={name}
        name={label}
        controlId={`flag-${name}`}
        hint={hint}
        control={
          <Switch
            id={`flag-${name}`}
            size="md"
            aria-label={label}
            {...(wrong === undefined
              ? {}
              : { 'aria-invalid': true, 'aria-errormessage': `${name}-error` })}
            disabled={!may}
            checked={shown[name]}
            onChange={(event) => set({ [name]: event.currentTarget.checked })}
          />
        }
      >
        {wrong === undefined && extra === undefined ? undefined : (
          <>
            {wrong === undefined ? null : (
              <p id={`${name}-error`} className={css.flagError}>
                {wrong}
              </p>
            )}
            {extra}
          </>
        )}
      </SettingRow>
    );
  }
  function text(name: Exclude<BotSettingName, BotSwitch>, isFirst: boolean) {
    const { form, maxLength } = botSetting(name);
    const { label, hint } = t.bot.settings[name];
    const field = {
      label,
      description: hint,
      disabled: !may,
      value: shown[name],
      error: problem(name),
      onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) =>
        set({ [name]: event.currentTarget.value }),
      ...(maxLength === undefined ? {} : { maxLength }),
      ...(isFirst ? {} : { mt: 'md' }),
    };
    return form === 'lines' ? (
      <Textarea key={name} {...field} autosize minRows={2} maxRows={8} />
    ) : (
      <TextInput key={name} {...field} />
    );
  }
  const backendFields = (
    <Backend
      url={shown.backend_url}
      isOff={!shown.proxy_enabled}
      secret={shown.secret_token}
      disabled={!may}
      problem={problem}
      onChange={set}
    />
  );
  const fieldsOf = (section: (typeof botSections)[number]) =>
    botSettingNames
      .filter((name) => botSetting(name).section === section)
      .map((name, at) => {
        if (!isBotSwitch(name)) return text(name, at === 0);
        return flag(name, name === 'proxy_enabled' ? backendFields : undefined);
      });

  return (
    <form ref={form} className={css.columns} onSubmit={withoutReload(onSubmit)}>
      <div className="stack">
        {botSections.map((section) => (
          <Panel key={section} title={t.bot[section]}>
            {fieldsOf(section)}
          </Panel>
        ))}
        <KeepDraft isChanged={changed} />
        {changed ? (
          <div className={css.saveBar}>
            {error ? (
              <div className={css.saveError} role="alert">
                <strong>{t.bot.refused}</strong> {refusal}
              </div>
            ) : (
              <span>{t.bot.unsaved}</span>
            )}
            <Group gap="xs">
              <Button variant="default" onClick={discard}>
                {t.bot.discard}
              </Button>
              <Button type="submit" loading={save.isPending}>
                {t.common.save}
              </Button>
            </Group>
          </div>
        ) : null}
      </div>
      <BotHealth bot={bot} />
    </form>
  );
}

function Backend(props: {
  url: string;
  /** True if nothing is forwarded to it. */
  isOff: boolean;
  secret: string;
  disabled: boolean;
  problem: (field: string) => string | undefined;
  onChange: (part: Draft) => void;
}) {
  const t = useT();
  return (
    <>
      <TextInput
        label={t.bot.settings.backend_url.label}
        description={t.bot.settings.backend_url.hint}
        placeholder="http://127.0.0.1:3000/updates"
        inputMode="url"
        disabled={props.disabled}
        value={props.url}
        error={props.problem('backend_url')}
        onChange={(event) => props.onChange({ backend_url: event.currentTarget.value.trim() })}
      />
      {props.isOff && props.url !== '' ? <Warning>{t.bot.proxyOff}</Warning> : null}
      <Group align="flex-end" gap="xs" mt="sm" wrap="nowrap" className={css.secret ?? ''}>
        <PasswordField
          label={t.bot.settings.secret_token.label}
          description={t.bot.settings.secret_token.hint}
          autoComplete="off"
          disabled={props.disabled}
          value={props.secret}
          error={props.problem('secret_token')}
          onChange={(value) => props.onChange({ secret_token: value })}
        />
        <Button
          variant="default"
          disabled={props.disabled}
          onClick={() => props.onChange({ secret_token: randomText() })}
        >
          {t.bot.makeSecret}
        </Button>
      </Group>
    </>
  );
}
