import { Radio, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import type { App } from '../../../api/apps.ts';
import { ApiError } from '../../../api/client/error.ts';
import type { Bot } from '../../../api/client/types.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { FormEnd } from '../../../shared/form-end.tsx';
import { useFormError } from '../../../shared/use-form-error.ts';
import { useWrongField } from '../../../ui/forms/use-wrong-field.ts';
import { AdvancedFields } from './advanced-fields.tsx';
import { type AppDraft, draftOf, filterOf, isWithin, validName } from './app-draft.ts';
import { appProblem, isAtField } from './app-problems.ts';
import css from './apps.module.css';
import { FilterFields } from './filter-fields.tsx';
import { FilterPreview, useFilterPreview } from './filter-preview.tsx';
import { WebhookFields } from './webhook-fields.tsx';
import { withoutReload } from '../../../ui/forms/without-reload.ts';

const typingMs = 300;

/** The form for the settings of an app; without one, for a new app. */
export function AppForm(props: {
  bot: Bot;
  app?: App;
  submit: string;
  error: unknown;
  busy: boolean;
  onChanged: () => void;
  onSubmit: (draft: AppDraft) => void;
}) {
  const { app, bot } = props;
  const t = useT();
  const { apps } = t;
  const [draft, setDraft] = useState(() => draftOf(app));
  const [isLeft, setLeft] = useState(true);
  const [timesNameless, setTimesNameless] = useState(0);
  const name = validName(draft.name);
  const isNameless = timesNameless > 0 && name === '';
  function change(next: (before: AppDraft) => AppDraft): void {
    setDraft(next);
    props.onChanged();
  }
  const set = (part: Partial<AppDraft>) => change((before) => ({ ...before, ...part }));
  const [typed] = useDebouncedValue(draft, typingMs);
  const filter = filterOf(typed);
  const preview = useFilterPreview(bot.id, filter);
  const error = useFormError(props.error, draft);

  // The preview reports problems before the form is sent, but not while a pattern is typed.
  const isPreviewed = (field: string) =>
    field.startsWith('filter.') && (isLeft || field !== 'filter.regex');
  const problem = (field: string): string | undefined => {
    if (field === 'name' && isNameless) return apps.nameWrong;
    return appProblem(isPreviewed(field) ? [preview.error, error] : [error], field, t);
  };
  const isWrong =
    preview.error instanceof ApiError &&
    preview.error.details.some(({ field }) => isWithin(field, 'filter'));
  const form = useWrongField(isNameless ? timesNameless : props.error);

  function onSubmit(): void {
    setLeft(true);
    if (name === '') setTimesNameless((before) => before + 1);
    else props.onSubmit(draft);
  }
  function nameHint(): string {
    if (app) return apps.nameFixed;
    return name === '' || name === draft.name.trim() ? apps.nameHint : apps.nameBecomes(name);
  }
  return (
    <form
      ref={form}
      className={css.form}
      onSubmit={withoutReload(onSubmit)}
      onBlur={() => setLeft(true)}
      noValidate
    >
      <TextInput
        label={apps.name}
        description={nameHint()}
        placeholder="analytics"
        maxLength={64}
        disabled={app !== undefined}
        data-autofocus={app === undefined || undefined}
        autoComplete="off"
        spellCheck={false}
        value={draft.name}
        error={problem('name')}
        onChange={(event) => set({ name: event.currentTarget.value })}
      />
      <Radio.Group
        label={apps.how}
        value={draft.mode}
        onChange={(mode) => set({ mode: mode as AppDraft['mode'] })}
      >
        <div className={css.choices}>
          {(['poll', 'webhook', 'send'] as const).map((mode) => (
            <Radio
              key={mode}
              value={mode}
              label={apps.modes[mode]}
              description={apps.modeHints[mode]}
            />
          ))}
        </div>
      </Radio.Group>
      {draft.mode === 'webhook' ? (
        <WebhookFields draft={draft} problem={problem} onChange={set} />
      ) : null}
      {draft.mode === 'send' ? null : (
        <>
          <Radio.Group
            label={apps.what}
            value={draft.receives}
            onChange={(receives) => set({ receives: receives as AppDraft['receives'] })}
          >
            <div className={css.choices}>
              <Radio value="all" label={apps.receivesAll} />
              <Radio value="some" label={apps.receivesSome} />
            </div>
          </Radio.Group>
          {draft.receives === 'some' ? (
            <div className={css.part}>
              <p className={css.hint}>{apps.filterHint}</p>
              <FilterFields
                bot={bot}
                filter={draft.filter}
                problem={(field) => problem(`filter.${field}`)}
                onChange={(part) => {
                  setLeft(false);
                  change((before) => ({ ...before, filter: { ...before.filter, ...part } }));
                }}
              />
              <FilterPreview filter={filter} preview={preview} isWrong={isWrong} />
            </div>
          ) : null}
        </>
      )}
      <AdvancedFields draft={draft} problem={problem} onChange={set} />
      <FormEnd
        submit={props.submit}
        error={isAtField(error) ? undefined : error}
        busy={props.busy}
        disabled={draft.name.trim() === ''}
      />
    </form>
  );
}
