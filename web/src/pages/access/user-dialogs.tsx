import { useState } from 'react';
import { changePassword, updateUser, usersQuery } from '../../api/access.ts';
import type { User } from '../../api/client/types.ts';
import { useT } from '../../i18n/use-t.tsx';
import { Dialog } from '../../ui/feedback/dialog.tsx';
import { FormEnd } from '../../shared/form-end.tsx';
import { fieldProblem, isShownAtFields } from '../../shared/error-words.ts';
import { useFormError } from '../../shared/use-form-error.ts';
import { useWrongField } from '../../ui/forms/use-wrong-field.ts';
import { PasswordField } from '../../ui/forms/password-field.tsx';
import { useAction } from '../../shared/use-action.ts';
import css from './access.module.css';
import { roleOf } from './role-of.ts';
import { bodyOf, type UserDraft, UserFields } from './user-fields.tsx';
import { withoutReload } from '../../ui/forms/without-reload.ts';

interface DialogProps {
  user: User;
  onClose: () => void;
}

/** The role, the bots and the Telegram account of a user. */
export function UserSettings(props: DialogProps) {
  const { user } = props;
  const t = useT();
  const { access, common } = t;
  const [draft, setDraft] = useState<UserDraft>({
    role: roleOf(user),
    botIds: user.bot_ids,
    telegramId: user.telegram_user_id === 0 ? '' : String(user.telegram_user_id),
  });
  const takeBack = useAction({ run: updateUser, refreshes: [usersQuery.queryKey] });
  const save = useAction({
    run: updateUser,
    quiet: true,
    refreshes: [usersQuery.queryKey],
    done: () => {
      props.onClose();
      const { bot_ids, id, role, telegram_user_id } = user;
      const bots = role === 'admin' ? {} : { bot_ids };
      const undo = () => takeBack.mutate({ id, role, telegram_user_id, ...bots });
      return { words: access.userSaved(user.username), undo };
    },
  });
  const error = useFormError(save.error, draft);
  const problem = (field: string) => fieldProblem(error, field, t);
  const form = useWrongField(save.error);
  // A role that nobody chose stays as it is stored.
  const role = draft.role === roleOf(user) ? user.role : draft.role;
  return (
    <Dialog title={access.settingsOf(user.username)} onClose={props.onClose}>
      <form
        ref={form}
        className={css.fields}
        onSubmit={withoutReload(() => save.mutate({ id: user.id, ...bodyOf(draft), role }))}
      >
        <UserFields
          draft={draft}
          problem={problem}
          onChange={(part) => setDraft({ ...draft, ...part })}
        />
        <FormEnd
          submit={common.save}
          error={isShownAtFields(error, ['telegram_user_id']) ? undefined : error}
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
