import { Button, NumberInput, PasswordInput, Switch, Textarea, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { changeData } from '../../api/client/change-data.ts';
import { type LlmConfig, llmConfigQuery, updateLlmConfig } from '../../api/routing.ts';
import { useT } from '../../i18n/use-t.tsx';
import { ErrorBox } from '../../shared/error-box.tsx';
import { fieldProblem } from '../../shared/error-words.ts';
import { KeepDraft } from '../../ui/forms/keep-draft.tsx';
import { useAction } from '../../shared/use-action.ts';
import { useFormError } from '../../shared/use-form-error.ts';
import { unsaved } from '../../ui/forms/unsaved.ts';
import { useWrongField } from '../../ui/forms/use-wrong-field.ts';
import css from './decisions.module.css';
import { withoutReload } from '../../ui/forms/without-reload.ts';

type Settings = Omit<LlmConfig, 'api_key_set' | 'usage'>;
/** The changed values; a number being entered may be "0." or empty. */
type Draft = {
  [Name in keyof Settings]?: Settings[Name] | (Settings[Name] extends number ? string : never);
};

const numbers = new Set([
  'timeout_ms',
  'monthly_call_limit',
  'monthly_token_limit',
  'offline_threshold',
]);

function changesOf(draft: Draft): Partial<Settings> {
  return Object.fromEntries(
    Object.entries(draft).map(([name, value]) => [name, numbers.has(name) ? Number(value) : value]),
  );
}

/** `canTry` is true if the page shows the route simulator. */
export function LlmForm(props: { config: LlmConfig; canTry: boolean }) {
  const t = useT();
  const { common, model } = t;
  const client = useQueryClient();
  const { api_key_set, usage, ...settings } = props.config;
  const [draft, setDraft] = useState<Draft>({});
  const [key, setKey] = useState('');
  const shown = { ...settings, ...draft };
  const set = (part: Draft) => setDraft((before) => ({ ...before, ...part }));
  const save = useAction({
    run: (sent: { draft: Draft; key: string }) =>
      updateLlmConfig({
        ...changesOf(sent.draft),
        ...(sent.key === '' ? {} : { api_key: sent.key }),
      }),
    quiet: true,
    done: (config, sent) => {
      changeData(client, llmConfigQuery.queryKey, () => config);
      // Text entered while saving is not saved yet, so keep it.
      setDraft((now) => unsaved(now, sent.draft));
      setKey((now) => (now === sent.key ? '' : now));
      return model.saved;
    },
  });
  const error = useFormError(save.error, { ...draft, api_key: key });
  const problem = (field: string) => fieldProblem(error, field, t);
  const form = useWrongField(save.error);
  const tokens = usage.input_tokens + usage.output_tokens;
  const fields = [
    ['timeout_ms', model.timeout, '', 100, 120_000],
    ['monthly_call_limit', model.callLimit, model.noLimit, 0, undefined],
    ['monthly_token_limit', model.tokenLimit, model.noLimit, 0, undefined],
    ['offline_threshold', model.threshold, '', 0, 1],
  ] as const;
  return (
    <form
      ref={form}
      className={css.form}
      onSubmit={withoutReload(() => save.mutate({ draft, key }))}
    >
      <KeepDraft isChanged={Object.keys(draft).length > 0 || key !== ''} />
      <Switch
        className={css.whole ?? ''}
        label={model.enabled}
        checked={shown.enabled}
        onChange={(event) => set({ enabled: event.currentTarget.checked })}
      />
      <TextInput
        label={model.url}
        description={model.urlHint}
        placeholder="http://127.0.0.1:11434/v1"
        value={shown.api_url}
        error={problem('api_url')}
        onChange={(event) => set({ api_url: event.currentTarget.value })}
      />
      <TextInput
        label={model.name}
        value={shown.model}
        error={problem('model')}
        onChange={(event) => set({ model: event.currentTarget.value })}
      />
      <PasswordInput
        className={css.whole ?? ''}
        label={model.key}
        description={api_key_set ? model.keySet : model.keyNone}
        autoComplete="off"
        visibilityToggleButtonProps={{ 'aria-label': common.show }}
        value={key}
        error={problem('api_key')}
        onChange={(event) => setKey(event.currentTarget.value)}
      />
      <Textarea
        className={css.whole ?? ''}
        label={model.prompt}
        description={model.promptHint}
        autosize
        minRows={2}
        maxRows={12}
        value={shown.system_prompt}
        onChange={(event) => set({ system_prompt: event.currentTarget.value })}
      />
      {fields.map(([field, label, hint, min, max]) => (
        <NumberInput
          key={field}
          label={label}
          {...(hint === '' ? {} : { description: hint })}
          hideControls
          min={min}
          {...(max === undefined ? {} : { max })}
          value={shown[field]}
          error={problem(field)}
          onChange={(value) => set({ [field]: value })}
        />
      ))}
      <span className={`${css.whole} ${css.sub}`}>
        {model.usage(usage.month, usage.calls, tokens)} {props.canTry ? model.tryHint : null}
      </span>
      {error ? (
        <div className={css.whole}>
          <ErrorBox error={error} />
        </div>
      ) : null}
      <Button type="submit" w="fit-content" loading={save.isPending}>
        {common.save}
      </Button>
    </form>
  );
}
