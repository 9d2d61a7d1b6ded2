import { TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { type Admin, setAdminTitle } from '../../../api/admins.ts';
import type { ChatKey } from '../../../api/chats.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { Dialog } from '../../../ui/feedback/dialog.tsx';
import { FormEnd } from '../../../shared/form-end.tsx';
import { useAction } from '../../../shared/use-action.ts';
import { speakerName } from '../history/history-items.ts';
import css from '../person.module.css';
import { maxTitleLength } from './rights-dialog.tsx';

export function TitleDialog(props: { chatKey: ChatKey; admin: Admin; onClose: () => void }) {
  const { admin, chatKey } = props;
  const t = useT();
  const client = useQueryClient();
  const [title, setTitle] = useState(admin.title);
  const name = speakerName(admin);
  const who = { ...chatKey, user_id: admin.user_id };
  const refresh = () => void client.invalidateQueries({ queryKey: ['people', chatKey.bot_id] });
  const restore = useAction({ run: () => setAdminTitle(who, admin.title), done: refresh });
  const save = useAction({
    run: () => setAdminTitle(who, title.trim()),
    quiet: true,
    done: () => {
      refresh();
      props.onClose();
      return { words: t.admins.titled(name), undo: () => restore.mutate(undefined) };
    },
  });
  function onSubmit(event: FormEvent): void {
    event.preventDefault();
    save.mutate(undefined);
  }
  return (
    <Dialog onClose={props.onClose} title={t.admins.titleOf(name)}>
      <form className={css.form} onSubmit={onSubmit}>
        <TextInput
          label={t.admins.customTitle}
          description={t.admins.customTitleHint}
          data-autofocus
          maxLength={maxTitleLength}
          value={title}
          onChange={(event) => setTitle(event.currentTarget.value)}
        />
        <FormEnd
          submit={t.common.save}
          error={save.error}
          busy={save.isPending}
          disabled={title.trim() === admin.title}
          onCancel={props.onClose}
        />
      </form>
    </Dialog>
  );
}
