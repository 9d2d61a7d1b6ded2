import {
  Button,
  Group,
  NativeSelect,
  NumberInput,
  Switch,
  Textarea,
  TextInput,
} from '@mantine/core';
import type { ChangeEvent, ReactNode } from 'react';
import { type BotChange } from '../../../api/bots.ts';
import {
  type BotChoice,
  type BotList,
  type BotNumber,
  botSetting,
  type BotSwitch,
  type BotText,
  isBotSwitch,
} from '../../../api/bot-settings.ts';
import { randomText } from '../../../api/client/random-text.ts';
import type { Bot } from '../../../api/client/types.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { Warning } from '../../../ui/feedback/warning.tsx';
import { PasswordField } from '../../../ui/forms/password-field.tsx';
import { SettingRow } from '../../../ui/forms/setting-row.tsx';
import css from '../bots.module.css';

export type SettingsDraft = Partial<Omit<BotChange, 'id' | 'token'>>;

/** What all fields of the form share. */
export interface SettingFields {
  shown: Bot;
  disabled: boolean;
  problem: (field: string) => string | undefined;
  onChange: (part: SettingsDraft) => void;
}

/** A setting that is on or off. The children are shown below the switch. */
export function SettingSwitch({
  name,
  shown,
  disabled,
  problem,
  onChange,
  children,
}: SettingFields & { name: BotSwitch | BotChoice; children: ReactNode }) {
  const { label, hint } = useT().bot.settings[name];
  const wrong = problem(name);
  return (
    <SettingRow
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
          disabled={disabled}
          checked={isBotSwitch(name) ? shown[name] : shown[name] === 'on'}
          onChange={({ currentTarget: { checked } }) =>
            onChange({ [name]: isBotSwitch(name) ? checked : checked ? 'on' : 'off' })
          }
        />
      }
    >
      {wrong === undefined && children === undefined ? undefined : (
        <>
          {wrong === undefined ? null : (
            <p id={`${name}-error`} className={css.flagError}>
              {wrong}
            </p>
          )}
          {children}
        </>
      )}
    </SettingRow>
  );
}

export function SettingChoice({
  name,
  shown,
  disabled,
  problem,
  onChange,
}: SettingFields & { name: 'automatic_answers' }) {
  const { choices, settings } = useT().bot;
  return (
    <NativeSelect
      mt="md"
      label={settings[name].label}
      description={settings[name].hint}
      disabled={disabled}
      value={shown[name]}
      error={problem(name)}
      data={(botSetting(name).values ?? []).map((value) => ({
        value,
        label: choices[value as keyof typeof choices],
      }))}
      onChange={(event) => onChange({ [name]: event.currentTarget.value as Bot[typeof name] })}
    />
  );
}

/** One entry per line. */
export function SettingList({
  name,
  shown,
  disabled,
  problem,
  onChange,
}: SettingFields & { name: BotList }) {
  const { label, hint } = useT().bot.settings[name];
  const entries = shown[name];
  return (
    <Textarea
      mt="md"
      label={label}
      description={hint}
      disabled={disabled}
      autosize
      minRows={2}
      maxRows={8}
      value={entries.join('\n')}
      error={problem(name)}
      onChange={(event) => onChange({ [name]: event.currentTarget.value.split('\n') })}
      onBlur={() => {
        const written = entries.map((entry) => entry.trim()).filter(Boolean);
        if (String(written) !== String(entries)) onChange({ [name]: written });
      }}
    />
  );
}

export function SettingText({
  name,
  isFirst,
  shown,
  disabled,
  problem,
  onChange,
}: SettingFields & { name: BotText; isFirst: boolean }) {
  const { label, hint } = useT().bot.settings[name];
  const { form, maxLength } = botSetting(name);
  const field = {
    label,
    description: hint,
    disabled,
    value: shown[name],
    error: problem(name),
    onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) =>
      onChange({ [name]: event.currentTarget.value }),
    ...(maxLength === undefined ? {} : { maxLength }),
    ...(isFirst ? {} : { mt: 'md' }),
  };
  return form === 'lines' ? (
    <Textarea {...field} autosize minRows={2} maxRows={8} />
  ) : (
    <TextInput {...field} />
  );
}

export function SettingNumber({
  name,
  shown,
  disabled,
  problem,
  onChange,
}: SettingFields & { name: BotNumber }) {
  const { label, hint } = useT().bot.settings[name];
  const { maximum = Number.MAX_SAFE_INTEGER } = botSetting(name);
  return (
    <NumberInput
      label={label}
      description={hint}
      allowDecimal={false}
      min={0}
      max={maximum}
      disabled={disabled}
      value={shown[name]}
      error={problem(name)}
      onChange={(value) => onChange({ [name]: Number(value) || 0 })}
    />
  );
}

export function BackendFields({ shown, disabled, problem, onChange }: SettingFields) {
  const t = useT();
  return (
    <>
      <TextInput
        label={t.bot.settings.backend_url.label}
        description={t.bot.settings.backend_url.hint}
        placeholder="http://127.0.0.1:3000/updates"
        inputMode="url"
        disabled={disabled}
        value={shown.backend_url}
        error={problem('backend_url')}
        onChange={(event) => onChange({ backend_url: event.currentTarget.value.trim() })}
      />
      {!shown.proxy_enabled && shown.backend_url !== '' ? (
        <Warning>{t.bot.proxyOff}</Warning>
      ) : null}
      <Group align="flex-end" gap="xs" mt="sm" wrap="nowrap" className={css.secret ?? ''}>
        <PasswordField
          label={t.bot.settings.secret_token.label}
          description={t.bot.settings.secret_token.hint}
          autoComplete="off"
          disabled={disabled}
          value={shown.secret_token}
          error={problem('secret_token')}
          onChange={(value) => onChange({ secret_token: value })}
        />
        <Button
          variant="default"
          disabled={disabled}
          onClick={() => onChange({ secret_token: randomText() })}
        >
          {t.bot.makeSecret}
        </Button>
      </Group>
    </>
  );
}
