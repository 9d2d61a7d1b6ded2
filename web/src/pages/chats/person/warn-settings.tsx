import { Button, Group, NumberInput, Select, Skeleton } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { changeData } from '../../../api/client/change-data.ts';
import {
  type ChatKey,
  saveWarnSettings,
  type WarnSettings as Settings,
  warnSettingsQuery,
} from '../../../api/chats.ts';
import { useMay } from '../../../shared/use-session.ts';
import type { Messages } from '../../../i18n/messages.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { ErrorBox } from '../../../shared/error-box.tsx';
import { SideSection } from '../../../ui/side-panel.tsx';
import { useAction } from '../../../shared/use-action.ts';
import { useFocusAfter } from '../../../ui/use-focus-back.ts';
import css from '../person.module.css';
import { withoutReload } from '../../../ui/forms/without-reload.ts';

const hour = 3_600;
const day = 24 * hour;
const actionSpans = [0, hour, day, 7 * day, 30 * day];
const lives = [0, day, 7 * day, 30 * day, 90 * day, 365 * day];

/** Shows the effect of warnings in this chat, as a sentence and as a form. */
export function WarnSettings(props: { chatKey: ChatKey }) {
  const { chatKey } = props;
  const t = useT();
  const may = useMay('chats', 'manage');
  const query = useQuery(warnSettingsQuery(chatKey));
  const [editing, setEditing] = useState(false);
  const opener = useFocusAfter(editing);
  const { data } = query;
  return (
    <SideSection title={t.chatInfo.warnings}>
      {query.isPending ? <Skeleton height={42} radius={10} /> : null}
      {query.isError ? <ErrorBox error={query.error} /> : null}
      {data && !editing ? (
        <>
          <p className={css.small}>{rule(data, t)}</p>
          {may ? (
            <Button ref={opener} size="compact-sm" variant="light" onClick={() => setEditing(true)}>
              {t.chatInfo.change}
            </Button>
          ) : null}
        </>
      ) : null}
      {data && editing ? (
        <WarnForm chatKey={chatKey} settings={data} onClose={() => setEditing(false)} />
      ) : null}
    </SideSection>
  );
}

function WarnForm(props: { chatKey: ChatKey; settings: Settings; onClose: () => void }) {
  const { chatKey, settings } = props;
  const t = useT();
  const client = useQueryClient();
  const [draft, setDraft] = useState(settings);
  const set = (part: Partial<Settings>) => setDraft((before) => ({ ...before, ...part }));
  const keep = (saved: Settings) =>
    changeData(client, warnSettingsQuery(chatKey).queryKey, () => saved);
  const write = (body: Settings) => saveWarnSettings(chatKey, body);
  const restore = useAction({ run: write, done: keep });
  const save = useAction({
    run: write,
    quiet: true,
    done: (saved) => {
      keep(saved);
      props.onClose();
      return { words: t.chatInfo.warnSaved, undo: () => restore.mutate(settings) };
    },
  });
  const choices = (spans: number[], chosen: number, endless: string) =>
    [...new Set([...spans, chosen])]
      .toSorted((left, right) => left - right)
      .map((seconds) => ({ value: String(seconds), label: span(seconds, t) || endless }));
  const isTimed = draft.action === 'mute' || draft.action === 'ban';
  return (
    <form className={css.form} onSubmit={withoutReload(() => save.mutate(draft))}>
      <NumberInput
        label={t.chatInfo.warnThreshold}
        description={t.chatInfo.warnThresholdHint}
        min={0}
        max={100}
        allowDecimal={false}
        value={draft.threshold}
        onChange={(value) => set({ threshold: Number(value) || 0 })}
      />
      <Select
        label={t.chatInfo.warnAction}
        allowDeselect={false}
        data={Object.entries(t.chatInfo.warnActions).map(([value, label]) => ({ value, label }))}
        value={draft.action}
        onChange={(value) => set({ action: value as Settings['action'] })}
      />
      {isTimed ? (
        <Select
          label={t.chatInfo.warnActionTime}
          allowDeselect={false}
          data={choices(actionSpans, draft.action_seconds, t.chatInfo.forever)}
          value={String(draft.action_seconds)}
          onChange={(value) => set({ action_seconds: Number(value) })}
        />
      ) : null}
      <Select
        label={t.chatInfo.warnLife}
        allowDeselect={false}
        data={choices(lives, draft.expire_seconds, t.chatInfo.never)}
        value={String(draft.expire_seconds)}
        onChange={(value) => set({ expire_seconds: Number(value) })}
      />
      <p className={css.small} aria-live="polite">
        {rule(draft, t)}
      </p>
      {save.error ? <ErrorBox error={save.error} /> : null}
      <Group gap="xs">
        <Button type="submit" size="compact-sm" loading={save.isPending}>
          {t.common.save}
        </Button>
        <Button size="compact-sm" variant="default" onClick={props.onClose}>
          {t.common.cancel}
        </Button>
      </Group>
    </form>
  );
}

/** Returns '' for an action without end. */
function span(seconds: number, t: Messages): string {
  return seconds === 0 ? '' : t.chatInfo.span(seconds);
}

function rule(settings: Settings, t: Messages): string {
  const { action, action_seconds, expire_seconds, threshold } = settings;
  const { warnActions, warnRule, warnTimed } = t.chatInfo;
  const name = warnActions[action];
  const timed = action === 'kick' ? name : warnTimed(name, span(action_seconds, t));
  const then = threshold === 0 || action === 'none' ? '' : timed;
  return warnRule(threshold, then, span(expire_seconds, t));
}
