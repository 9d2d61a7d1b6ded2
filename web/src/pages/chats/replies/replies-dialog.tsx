import { Button, Checkbox, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { botName } from '../../../api/bots.ts';
import type { Bot } from '../../../api/client/types.ts';
import {
  addReply,
  deleteReply,
  type NewReply,
  type SavedReply,
  savedRepliesKey,
  savedRepliesQuery,
  updateReply,
} from '../../../api/saved-replies.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { fieldProblem, isShownAtFields } from '../../../shared/error-words.ts';
import { FormEnd } from '../../../shared/form-end.tsx';
import { useAction } from '../../../shared/use-action.ts';
import { useFormError } from '../../../shared/use-form-error.ts';
import { useSession } from '../../../shared/use-session.ts';
import { DraftDialog } from '../../../ui/forms/draft-dialog.tsx';
import { withoutReload } from '../../../ui/forms/without-reload.ts';
import { Icon } from '../../../ui/icon.tsx';
import { Entry, EntryList } from '../../../ui/lists/entry-list.tsx';
import { placeholders } from './fill-reply.ts';
import css from './replies.module.css';

type Draft = NewReply & { id?: number };

/** Adds, changes and deletes the replies that a bot may use. */
export function RepliesDialog(props: { bot: Bot; onClose: () => void }) {
  const { bot } = props;
  const t = useT();
  const mayForAll = useSession().bot_ids === null;
  const replies = useQuery(savedRepliesQuery(bot.id)).data;
  const [edited, setEdited] = useState<Draft>();
  const [isChanged, setChanged] = useState(false);
  const refreshes = [savedRepliesKey];
  const restore = useAction({ run: addReply, refreshes });
  const remove = useAction({
    run: deleteReply,
    refreshes,
    done: ({ name, text, bot_id }) => ({
      words: t.replies.deleted,
      undo: () => restore.mutate({ name, text, bot_id }),
    }),
  });
  function edit(draft: Draft | undefined): void {
    setEdited(draft);
    setChanged(false);
  }
  const mayChange = (reply: SavedReply) => mayForAll || reply.bot_id !== 0;
  return (
    <DraftDialog opened isChanged={isChanged} onClose={props.onClose} title={t.replies.title}>
      {edited ? (
        <ReplyForm
          bot={bot}
          draft={edited}
          mayForAll={mayForAll}
          onChanged={() => setChanged(true)}
          onDone={() => edit(undefined)}
        />
      ) : (
        <>
          {replies?.length === 0 ? <p>{t.replies.none}</p> : null}
          <EntryList>
            {replies?.map((reply) => (
              <Entry
                key={reply.id}
                name={`/${reply.name}`}
                sub={reply.text}
                side={t.replies.used(reply.uses)}
                actions={
                  mayChange(reply)
                    ? [
                        { label: t.common.edit, icon: 'edit', run: () => edit(draftOf(reply)) },
                        { label: t.common.delete, icon: 'trash', run: () => remove.mutate(reply) },
                      ]
                    : []
                }
              />
            ))}
          </EntryList>
          <Button
            mt="md"
            variant="light"
            leftSection={<Icon name="plus" size={15} />}
            onClick={() => edit({ name: '', text: '', bot_id: mayForAll ? 0 : bot.id })}
          >
            {t.replies.add}
          </Button>
        </>
      )}
    </DraftDialog>
  );
}

const draftOf = ({ id, name, text, bot_id }: SavedReply): Draft => ({ id, name, text, bot_id });

function ReplyForm(props: {
  bot: Bot;
  draft: Draft;
  mayForAll: boolean;
  onChanged: () => void;
  onDone: () => void;
}) {
  const { bot, mayForAll } = props;
  const t = useT();
  const [draft, setDraft] = useState(props.draft);
  const save = useAction({
    run: ({ id, ...reply }: Draft) =>
      id === undefined ? addReply(reply) : updateReply({ ...reply, id }),
    quiet: true,
    refreshes: [savedRepliesKey],
    done: () => {
      props.onDone();
      return t.replies.saved;
    },
  });
  const error = useFormError(save.error, draft);
  function set(part: Partial<Draft>): void {
    setDraft((before) => ({ ...before, ...part }));
    props.onChanged();
  }
  return (
    <form className={css.form} onSubmit={withoutReload(() => save.mutate(draft))}>
      <TextInput
        label={t.replies.name}
        description={t.replies.nameHint}
        required
        autoFocus
        maxLength={64}
        value={draft.name}
        error={fieldProblem(error, 'name', t)}
        onChange={(event) => set({ name: event.currentTarget.value.replaceAll(/\s/g, '-') })}
      />
      <Textarea
        label={t.replies.text}
        description={t.replies.textHint(placeholders.map((name) => `{${name}}`).join(' '))}
        required
        autosize
        minRows={3}
        maxRows={12}
        maxLength={4_096}
        value={draft.text}
        error={fieldProblem(error, 'text', t)}
        onChange={(event) => set({ text: event.currentTarget.value })}
      />
      {mayForAll ? (
        <Checkbox
          label={t.replies.onlyFor(botName(bot))}
          checked={draft.bot_id === bot.id}
          onChange={(event) => set({ bot_id: event.currentTarget.checked ? bot.id : 0 })}
        />
      ) : null}
      <FormEnd
        submit={t.common.save}
        error={isShownAtFields(error, ['name', 'text']) ? undefined : error}
        busy={save.isPending}
        onCancel={props.onDone}
      />
    </form>
  );
}
