import { MultiSelect, Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { botName } from '../../../api/bots.ts';
import type { Bot } from '../../../api/client/types.ts';
import { addDesk, type Desk, desksQuery, updateDesk } from '../../../api/desks.ts';
import { useLanguage, useT } from '../../../i18n/use-t.tsx';
import { ChatField } from '../../../shared/chat-field.tsx';
import { fieldProblem, wrongFields } from '../../../shared/error-words.ts';
import { FormEnd } from '../../../shared/form-end.tsx';
import { useAction } from '../../../shared/use-action.ts';
import { knownChatsQuery } from '../../../shared/use-chat-names.ts';
import { useFormError } from '../../../shared/use-form-error.ts';
import { DraftDialog } from '../../../ui/forms/draft-dialog.tsx';
import { useClosingList } from '../../../ui/forms/use-closing-list.ts';
import { useWrongField } from '../../../ui/forms/use-wrong-field.ts';
import { withoutReload } from '../../../ui/forms/without-reload.ts';
import css from '../routes.module.css';
import { type DeskDraft, draftOf, firstDraft } from './desk-draft.ts';
import { DeskMore } from './desk-more.tsx';
import { problemWords } from './problem-words.ts';

interface EditorProps {
  bots: Bot[];
  /** The bots that a desk has already. */
  taken: ReadonlySet<number>;
  /** The desk that is changed; left out for a new one. */
  desk?: Desk;
}

export function DeskEditor(props: EditorProps & { opened: boolean; onClose: () => void }) {
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
      title={props.desk ? desks.settings : desks.add}
      size="lg"
    >
      <EditorForm {...props} onChanged={() => setChanged(true)} onDone={close} />
    </DraftDialog>
  );
}

/** Most teams have one forum, so it is filled in; 0 if there are none or more. */
function useOnlyForum(bot: Bot | undefined): number {
  const desks = useQuery(desksQuery).data ?? [];
  const chats = useQuery({
    ...knownChatsQuery(bot?.id ?? 0),
    enabled: bot?.manage_enabled ?? false,
  }).data;
  const free = chats?.filter(
    ({ chat_id, type }) => type === 'supergroup' && !desks.some((desk) => desk.chat_id === chat_id),
  );
  return free?.length === 1 ? (free[0]?.chat_id ?? 0) : 0;
}

function EditorForm(props: EditorProps & { onChanged: () => void; onDone: () => void }) {
  const { bots, desk } = props;
  const t = useT();
  const { locale } = useLanguage();
  const { desks: words } = t;
  const list = useClosingList();
  const [draft, setDraft] = useState(() =>
    desk ? draftOf(desk) : firstDraft(bots, props.taken, words.defaultName, locale),
  );
  const [timesAsked, setTimesAsked] = useState(0);
  const [chosen, setChosen] = useState<number>();
  const deskBot = bots.find(({ id }) => id === draft.desk_bot_id);
  const only = useOnlyForum(desk ? undefined : deskBot);
  const wanted = { ...draft, chat_id: desk?.chat_id ?? chosen ?? only };
  function set(part: Partial<DeskDraft>): void {
    setDraft((before) => ({ ...before, ...part }));
    props.onChanged();
  }
  const save = useAction({
    run: ({ chat_id, ...own }: DeskDraft) =>
      desk ? updateDesk({ id: desk.id, ...own }) : addDesk({ chat_id, ...own }),
    quiet: true,
    refreshes: [desksQuery.queryKey],
    done: ({ problems }) => {
      props.onDone();
      const done = desk ? words.changed : words.added;
      return [done, ...problems.map((one) => problemWords(one, t.reasons))].join(' ');
    },
  });
  const error = useFormError(save.error, wanted);
  const problem = (field: string) => fieldProblem(error, field, t);
  const isMissing = timesAsked > 0 && wanted.chat_id === 0;
  const form = useWrongField(isMissing ? timesAsked : save.error);
  const botData = bots.map((bot) => ({ value: String(bot.id), label: botName(bot) }));

  function onSubmit(): void {
    if (wanted.chat_id === 0) setTimesAsked((before) => before + 1);
    else save.mutate(wanted);
  }
  return (
    <form ref={form} className={css.form} onSubmit={withoutReload(onSubmit)} noValidate>
      {desk ? null : (
        <ChatField
          label={words.forum}
          hint={words.forumHint}
          bot={deskBot}
          value={wanted.chat_id}
          error={isMissing ? t.routes.targetChatNeeded : problem('chat_id')}
          required
          groupsOnly
          onChange={(id) => {
            setChosen(id ?? 0);
            props.onChanged();
          }}
        />
      )}
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
      <DeskMore
        draft={draft}
        bot={deskBot}
        wrong={wrongFields(error).map(({ field }) => field)}
        opened={desk !== undefined}
        problem={problem}
        onChange={set}
      />
      <FormEnd
        submit={desk ? t.common.save : words.add}
        error={save.error}
        busy={save.isPending}
        onCancel={props.onDone}
      />
    </form>
  );
}
