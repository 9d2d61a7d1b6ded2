import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { createUser, usersQuery } from '../../api/access.ts';
import { useT } from '../../i18n/use-t.tsx';
import { Dialog } from '../../ui/feedback/dialog.tsx';
import { FormEnd } from '../../shared/form-end.tsx';
import { fieldProblem, isShownAtFields } from '../../shared/error-words.ts';
import { PasswordField } from '../../ui/forms/password-field.tsx';
import { useAction } from '../../shared/use-action.ts';
import { useFormError } from '../../shared/use-form-error.ts';
import { useWrongField } from '../../ui/forms/use-wrong-field.ts';
import css from './access.module.css';
import { bodyOf, type UserDraft, UserFields } from './user-fields.tsx';
import { withoutReload } from '../../ui/forms/without-reload.ts';

export function NewUserDialog(props: { opened: boolean; onClose: () => void }) {
  const { access } = useT();
  return (
    <Dialog opened={props.opened} onClose={props.onClose} title={access.newUser}>
      <UserForm onDone={props.onClose} />
    </Dialog>
  );
}

function UserForm(props: { onDone: () => void }) {
  const t = useT();
  const { access, entry } = t;
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const [draft, setDraft] = useState<UserDraft>({ role: 'agent', botIds: [], telegramId: '' });
  const add = useAction({
    run: createUser,
    quiet: true,
    refreshes: [usersQuery.queryKey],
    done: (user) => {
      props.onDone();
      return access.userAdded(user.username);
    },
  });
  const error = useFormError(add.error, { username, password, ...draft });
  const problem = (field: string) => fieldProblem(error, field, t);
  const form = useWrongField(add.error);
  return (
    <form
      ref={form}
      className={css.fields}
      onSubmit={withoutReload(() => add.mutate({ username, password, ...bodyOf(draft) }))}
    >
      <TextInput
        label={entry.username}
        description={entry.usernameHint}
        autoComplete="off"
        required
        withAsterisk={false}
        data-autofocus
        value={username}
        error={problem('username')}
        onChange={(event) => setUsername(event.currentTarget.value)}
      />
      <PasswordField
        label={entry.password}
        description={entry.passwordHint}
        autoComplete="new-password"
        required
        minLength={8}
        value={password}
        error={problem('password')}
        onChange={setPassword}
      />
      <UserFields
        draft={draft}
        problem={problem}
        onChange={(part) => setDraft({ ...draft, ...part })}
      />
      <FormEnd
        submit={access.addUser}
        error={
          isShownAtFields(error, ['username', 'password', 'telegram_user_id']) ? undefined : error
        }
        busy={add.isPending}
      />
    </form>
  );
}
