import { Button, Group } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { type BotChange, cacheBot, updateBot } from '../../../api/bots.ts';
import {
  botSections,
  botSetting,
  botSettingNames,
  isBotList,
  isBotNumber,
  isBotText,
} from '../../../api/bot-settings.ts';
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
import { useAction } from '../../../shared/use-action.ts';
import { useFormError } from '../../../shared/use-form-error.ts';
import { unsaved } from '../../../ui/forms/unsaved.ts';
import { useWrongField } from '../../../ui/forms/use-wrong-field.ts';
import { BotHealth } from '../bot-health.tsx';
import { withoutReload } from '../../../ui/forms/without-reload.ts';
import css from '../bots.module.css';
import { useBackendCheck } from '../delivery/use-backend-check.ts';
import {
  BackendFields,
  type SettingFields,
  SettingNumber,
  type SettingsDraft,
  SettingChoice,
  SettingList,
  SettingSwitch,
  SettingText,
} from './setting-fields.tsx';

export function BotSettings(props: { bot: Bot }) {
  const { bot } = props;
  const t = useT();
  const may = useMay('bots', 'manage');
  const client = useQueryClient();
  const [draft, setDraft] = useState<SettingsDraft>({});
  const shown = { ...bot, ...draft };
  const changed = Object.entries(draft).some(
    ([name, value]) => JSON.stringify(bot[name as keyof Bot]) !== JSON.stringify(value),
  );
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
  const set = (part: SettingsDraft) => setDraft((before) => ({ ...before, ...part }));
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
      (Object.keys(draft) as (keyof SettingsDraft)[]).map((name) => [name, bot[name]]),
    );
    save.mutate({ change: { id: bot.id, ...draft }, before: { id: bot.id, ...before } });
  }
  function discard(): void {
    setDraft({});
    save.reset();
  }
  const fields: SettingFields = { shown, disabled: !may, problem, onChange: set };
  const fieldsOf = (section: (typeof botSections)[number]) =>
    botSettingNames
      .filter((name) => botSetting(name).section === section)
      .map((name, at) => {
        if (name === 'automatic_answers') {
          return <SettingChoice key={name} name={name} {...fields} />;
        }
        if (isBotList(name)) return <SettingList key={name} name={name} {...fields} />;
        if (isBotText(name)) {
          return <SettingText key={name} name={name} isFirst={at === 0} {...fields} />;
        }
        const below = {
          proxy_enabled: <BackendFields {...fields} />,
          pacing: shown.pacing === 'on' ? <SettingNumber name="patience" {...fields} /> : undefined,
        };
        return isBotNumber(name) ? null : (
          <SettingSwitch key={name} name={name} {...fields}>
            {below[name as keyof typeof below]}
          </SettingSwitch>
        );
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
