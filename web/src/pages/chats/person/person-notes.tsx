import { Button, CloseButton, Group, Textarea } from '@mantine/core';
import { useState } from 'react';
import { addNote, deleteNote, type Note, type Somebody } from '../../../api/people.ts';
import { useMay } from '../../../shared/use-session.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { SideSection } from '../../../ui/side-panel.tsx';
import { TimeAgo } from '../../../ui/text/time-ago.tsx';
import { useAction } from '../../../shared/use-action.ts';
import { useFocusAfter } from '../../../ui/use-focus-back.ts';
import css from '../person.module.css';
import { withoutReload } from '../../../ui/forms/without-reload.ts';

/** Notes for the people who manage the bot; the person never sees them. */
export function PersonNotes(props: { who: Somebody; notes: Note[] }) {
  const { bot_id, user_id } = props.who;
  const t = useT();
  const may = useMay('notes', 'manage');
  const [text, setText] = useState('');
  const [opened, setOpened] = useState(false);
  const opener = useFocusAfter(opened);
  const add = useAction({
    run: addNote,
    refreshes: [['people', bot_id]],
    done: () => {
      setText('');
      setOpened(false);
    },
  });
  const restore = useAction({ run: addNote, refreshes: [['people', bot_id]] });
  const remove = useAction({
    run: (note: Note) => deleteNote(bot_id, note.id),
    refreshes: [['people', bot_id]],
    done: (note) => ({
      words: t.people.noteDeleted,
      undo: () => restore.mutate({ bot_id, user_id, text: note.text }),
    }),
  });
  function onSubmit(): void {
    if (text.trim() !== '') add.mutate({ bot_id, user_id, text: text.trim() });
  }
  return (
    <SideSection title={t.people.notes}>
      <ul className={css.entries}>
        {props.notes.map((note) => (
          <li key={note.id} className={css.entry}>
            <span>{note.text}</span>
            {may ? (
              <CloseButton
                size="xs"
                aria-label={t.common.labelled(t.people.deleteNote, note.text.slice(0, 40))}
                onClick={() => remove.mutate(note)}
              />
            ) : (
              <span />
            )}
            <span className={css.small}>
              {note.author} · <TimeAgo at={note.created_at} />
            </span>
          </li>
        ))}
      </ul>
      {props.notes.length === 0 && !opened ? <p className={css.small}>{t.people.noNotes}</p> : null}
      {!may ? null : opened ? (
        <form className={css.form} onSubmit={withoutReload(onSubmit)}>
          <Textarea
            label={t.people.note}
            autoFocus
            autosize
            minRows={2}
            maxLength={4_096}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <Group gap="xs">
            <Button type="submit" size="compact-sm" loading={add.isPending}>
              {t.common.save}
            </Button>
            <Button size="compact-sm" variant="default" onClick={() => setOpened(false)}>
              {t.common.cancel}
            </Button>
          </Group>
        </form>
      ) : (
        <Button
          ref={opener}
          size="compact-sm"
          variant="light"
          leftSection={<Icon name="plus" size={15} />}
          onClick={() => setOpened(true)}
        >
          {t.people.addNote}
        </Button>
      )}
    </SideSection>
  );
}
