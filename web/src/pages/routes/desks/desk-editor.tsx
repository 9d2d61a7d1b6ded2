import { MultiSelect, Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import { botName } from '../../../api/bots.ts';
import type { Bot } from '../../../api/client/types.ts';
import { addDesk, desksQuery, type NewDesk } from '../../../api/desks.ts';
import { useLanguage, useT } from '../../../i18n/use-t.tsx';
import { ChatField } from '../../../shared/chat-field.tsx';
import { fieldProblem } from '../../../shared/error-words.ts';
import { FormEnd } from '../../../shared/form-end.tsx';
import { useAction } from '../../../shared/use-action.ts';
import { useFormError } from '../../../shared/use-form-error.ts';
import { DraftDialog } from '../../../ui/forms/draft-dialog.tsx';
import { useClosingList } from '../../../ui/forms/use-closing-list.ts';
import { useWrongField } from '../../../ui/forms/use-wrong-field.ts';
import { withoutReload } from '../../../ui/forms/without-reload.ts';
import css from '../routes.module.css';
import { problemWords } from './problem-words.ts';

export function DeskEditor(props: { bots: Bot[]; opened: boolean; onClose: () => void }) {
  const { desks } = useT();
  const [isChanged, setChanged] = useState(false);
  function close(): void {
    setChanged(false);
    props.onClose();
  }
  return (
    <DraftDialog
      opened={props.opened}
      isChanged={isChanged}
      onClose={close}
      title={desks.add}
      size="lg"
    >
      <EditorForm bots={props.bots} onChanged={() => setChanged(true)} onDone={close} />
    </DraftDialog>
  );
}

/** The languages in which a desk talks to the team. */
const languages: readonly NonNullable<NewDesk['language']>[] = ['en', 'ru', 'zh-CN'];

/**
 * Everything but the forum is filled in: most teams have one desk for all their bots, and read what
 * its page says.
 */
function firstDraft(bots: readonly Bot[], name: string, locale: string): NewDesk {
  const managed = bots.find((bot) => bot.manage_enabled) ?? bots[0];
  return {
    name,
    language: languages.find((one) => one === locale) ?? 'en',
    desk_bot_id: managed?.id ?? 0,
    chat_id: 0,
    bot_ids: bots.map(({ id }) => id),
  };
}

function EditorForm(props: { bots: Bot[]; onChanged: () => void; onDone: () => void }) {
  const { bots } = props;
  const t = useT();
  const { locale } = useLanguage();
  const { desks: words } = t;
  const list = useClosingList();
  const [draft, setDraft] = useState(() => firstDraft(bots, words.defaultName, locale));
  const [timesAsked, setTimesAsked] = useState(0);
  function set(part: Partial<NewDesk>): void {
    setDraft((before) => ({ ...before, ...part }));
    props.onChanged();
  }
  const save = useAction({
    run: addDesk,
    quiet: true,
    refreshes: [desksQuery.queryKey],
    done: ({ problems }) => {
      props.onDone();
      const problem = problems.map((one) => problemWords(one, t.reasons)).join(' ');
      return problem === '' ? words.added : words.addedBut(problem);
    },
  });
  const error = useFormError(save.error, { ...draft });
  const problem = (field: string) => fieldProblem(error, field, t);
  const isMissing = timesAsked > 0 && draft.chat_id === 0;
  const form = useWrongField(isMissing ? timesAsked : save.error);
  const botData = bots.map((bot) => ({ value: String(bot.id), label: botName(bot) }));

  function onSubmit(): void {
    if (draft.chat_id === 0) setTimesAsked((before) => before + 1);
    else save.mutate(draft);
  }
  return (
    <form ref={form} className={css.form} onSubmit={withoutReload(onSubmit)} noValidate>
      <ChatField
        label={words.forum}
        hint={words.forumHint}
        bot={bots.find(({ id }) => id === draft.desk_bot_id)}
        value={draft.chat_id}
        error={isMissing ? t.routes.targetChatNeeded : problem('chat_id')}
        required
        onChange={(id) => set({ chat_id: id ?? 0 })}
      />
      <Select
        label={words.deskBot}
        description={words.deskBotHint}
        data={botData}
        allowDeselect={false}
        value={String(draft.desk_bot_id)}
        error={problem('desk_bot_id')}
        onChange={(value) => set({ desk_bot_id: Number(value) })}
      />
      <MultiSelect
        label={words.bots}
        description={words.botsHint}
        data={botData}
        {...list}
        value={draft.bot_ids.map(String)}
        error={problem('bot_ids')}
        onChange={(ids) => set({ bot_ids: ids.map(Number) })}
      />
      <TextInput
        label={words.name}
        value={draft.name}
        error={problem('name')}
        onChange={({ currentTarget }) => set({ name: currentTarget.value })}
      />
      <FormEnd
        submit={words.add}
        error={save.error}
        busy={save.isPending}
        onCancel={props.onDone}
      />
    </form>
  );
}
