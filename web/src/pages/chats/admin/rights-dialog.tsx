import { Checkbox, Skeleton, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Admin, adminsQuery, demote, promote, type Right } from '../../../api/admins.ts';
import { chatQuery } from '../../../api/chats.ts';
import type { Somebody } from '../../../api/people.ts';
import type { Bot } from '../../../api/client/types.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { Dialog } from '../../../ui/feedback/dialog.tsx';
import { FormEnd } from '../../../shared/form-end.tsx';
import { ErrorBox } from '../../../shared/error-box.tsx';
import { useAction } from '../../../shared/use-action.ts';
import { rightsIn } from './admin-rights.ts';
import css from '../person.module.css';
import { withoutReload } from '../../../ui/forms/without-reload.ts';

const usual: Right[] = ['can_manage_chat', 'can_delete_messages', 'can_restrict_members'];
export const maxTitleLength = 16;

/** Makes a person an administrator with chosen rights, or changes them; a bot can give only its own. */
export function RightsDialog(props: {
  bot: Bot;
  who: Somebody;
  name: string;
  /** Their current rights, if they are an administrator. */
  before: Admin | undefined;
  onClose: () => void;
}) {
  const { before, name } = props;
  const t = useT();
  return (
    <Dialog
      onClose={props.onClose}
      title={before ? t.admins.changeOf(name) : t.admins.appointTitle(name)}
    >
      <RightsForm {...props} />
    </Dialog>
  );
}

function RightsForm(props: Parameters<typeof RightsDialog>[0]) {
  const { before, bot, name, who } = props;
  const t = useT();
  const type = useQuery(chatQuery(bot.id, who.chat_id)).data?.type ?? 'supergroup';
  const admins = useQuery(adminsQuery(who));
  const own = admins.data?.find((admin) => admin.user_id === bot.platform_id)?.rights;
  const [chosen, setChosen] = useState<Right[]>();
  const [title, setTitle] = useState(before?.title ?? '');
  const shown = rightsIn(type);
  const may = (right: Right) => own?.includes(right) ?? false;
  const rights = chosen ?? before?.rights.filter(may) ?? usual.filter(may);
  const isTitled = type === 'supergroup';

  const restore = useAction({
    run: (was: Admin | undefined) =>
      was ? promote(who, was.rights, isTitled ? was.title : undefined) : demote(who),
    refreshes: [['people', who.bot_id]],
  });
  const save = useAction({
    run: () => promote(who, rights, isTitled ? title.trim() : undefined),
    quiet: true,
    refreshes: [['people', who.bot_id]],
    done: () => {
      props.onClose();
      return {
        words: before ? t.admins.changed(name) : t.admins.appointed(name),
        undo: () => restore.mutate(before),
      };
    },
  });
  if (admins.isPending) return <Skeleton height={260} radius={12} />;
  return (
    <form className={css.form} onSubmit={withoutReload(() => save.mutate(undefined))}>
      <Checkbox.Group
        label={t.admins.rightsLabel}
        description={t.admins.rightsHint}
        value={rights}
        onChange={(values) => setChosen(values as Right[])}
      >
        <div className={css.rights}>
          {shown.map((right) => (
            <Checkbox
              key={right}
              value={right}
              label={t.rights.names[right]}
              disabled={!may(right)}
            />
          ))}
        </div>
      </Checkbox.Group>
      {shown.every(may) ? null : <p className={css.small}>{t.admins.botLacks}</p>}
      {isTitled ? (
        <TextInput
          label={t.admins.customTitle}
          description={t.admins.customTitleHint}
          maxLength={maxTitleLength}
          value={title}
          onChange={(event) => setTitle(event.currentTarget.value)}
        />
      ) : null}
      {admins.isError ? <ErrorBox error={admins.error} /> : null}
      <FormEnd
        submit={before ? t.common.save : t.admins.appoint}
        error={save.error}
        busy={save.isPending}
        disabled={rights.length === 0}
        onCancel={props.onClose}
      />
    </form>
  );
}
