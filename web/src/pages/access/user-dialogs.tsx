import { useState } from 'react';
import { changePassword, updateUser, usersQuery } from '../../api/access.ts';
import type { User } from '../../api/client/types.ts';
import { useT } from '../../i18n/use-t.tsx';
import { Dialog } from '../../ui/feedback/dialog.tsx';
import { FormEnd } from '../../shared/form-end.tsx';
import { PasswordField } from '../../ui/forms/password-field.tsx';
import { useAction } from '../../shared/use-action.ts';
import css from './access.module.css';
import { BotChoice } from '../../shared/bot-choice.tsx';
import { withoutReload } from '../../ui/forms/without-reload.ts';

interface DialogProps {
  user: User;
  onClose: () => void;
}

export function UserBots(props: DialogProps) {
  const { user } = props;
  const { access, common } = useT();
  const [botIds, setBotIds] = useState(user.bot_ids);
  const takeBack = useAction({ run: updateUser, refreshes: [usersQuery.queryKey] });
  const save = useAction({
    run: updateUser,
    quiet: true,
    refreshes: [usersQuery.queryKey],
    done: () => {
      props.onClose();
      const undo = () => takeBack.mutate({ id: user.id, bot_ids: user.bot_ids });
      return { words: access.userSaved(user.username), undo };
    },
  });
  return (
    <Dialog title={access.botsOf(user.username)} onClose={props.onClose}>
      <form
        className={css.fields}
        onSubmit={withoutReload(() => save.mutate({ id: user.id, bot_ids: botIds }))}
      >
        <BotChoice label={access.assigned} value={botIds} onChange={setBotIds} />
        <FormEnd
          submit={common.save}
          error={save.error}
          busy={save.isPending}
          onCancel={props.onClose}
        />
      </form>
    </Dialog>
  );
}

/** Sets a new password for a user who forgot theirs. */
export function UserPassword(props: DialogProps) {
  const { user } = props;
  const { access, entry } = useT();
  const [password, setPassword] = useState('');
  const set = useAction({
    run: changePassword,
    quiet: true,
    done: () => {
      props.onClose();
      return access.passwordSet(user.username);
    },
  });
  return (
    <Dialog title={access.passwordOf(user.username)} onClose={props.onClose}>
      <form
        className={css.fields}
        onSubmit={withoutReload(() => set.mutate({ id: user.id, password }))}
      >
        <p style={{ margin: 0 }}>{access.passwordOfHint}</p>
        <PasswordField
          label={access.newPassword}
          description={entry.passwordHint}
          autoComplete="new-password"
          required
          minLength={8}
          value={password}
          onChange={setPassword}
        />
        <FormEnd
          submit={access.changePassword}
          error={set.error}
          busy={set.isPending}
          onCancel={props.onClose}
        />
      </form>
    </Dialog>
  );
}
