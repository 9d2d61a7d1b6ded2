import { Button, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { sessionQuery } from '../../api/session.ts';
import type { Session } from '../../api/client/types.ts';
import { useT } from '../../i18n/use-t.tsx';
import { ErrorBox } from '../../shared/error-box.tsx';
import { fieldProblem, isShownAtFields } from '../../shared/error-words.ts';
import { PasswordField } from '../../ui/forms/password-field.tsx';
import { useAction } from '../../shared/use-action.ts';
import { useFormError } from '../../shared/use-form-error.ts';
import { useWrongField } from '../../ui/forms/use-wrong-field.ts';
import css from './entry.module.css';
import { withoutReload } from '../../ui/forms/without-reload.ts';

interface Account {
  username: string;
  password: string;
}

/** Asks for username and password, and signs in. */
export function AccountForm(props: {
  submit: string;
  run: (account: Account) => Promise<Session>;
  onEntered: () => void;
  /** Not set if the password exists already. */
  minPasswordLength?: number;
}) {
  const { minPasswordLength } = props;
  const t = useT();
  const { entry } = t;
  const client = useQueryClient();
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const enter = useAction({
    run: props.run,
    quiet: true,
    done: (session) => {
      // Cached data of another user in this tab must not stay.
      client.removeQueries();
      client.setQueryData(sessionQuery.queryKey, session);
      props.onEntered();
    },
  });
  const error = useFormError(enter.error, { username, password });
  const form = useWrongField(enter.error);
  const isNew = minPasswordLength !== undefined;
  const missing = (minPasswordLength ?? 0) - password.length;
  return (
    <form
      ref={form}
      className={css.form}
      onSubmit={withoutReload(() => enter.mutate({ username, password }))}
    >
      {error && !isShownAtFields(error, ['username', 'password']) ? (
        <ErrorBox error={error} />
      ) : null}
      <TextInput
        label={entry.username}
        {...(isNew ? { description: entry.usernameHint } : {})}
        name="username"
        autoComplete="username"
        autoCapitalize="none"
        required
        withAsterisk={false}
        autoFocus
        value={username}
        error={fieldProblem(error, 'username', t)}
        onChange={(event) => setUsername(event.currentTarget.value)}
      />
      <PasswordField
        label={entry.password}
        {...(isNew
          ? {
              description:
                password !== '' && missing > 0 ? entry.passwordShort(missing) : entry.passwordHint,
              minLength: minPasswordLength,
            }
          : {})}
        name="password"
        autoComplete={isNew ? 'new-password' : 'current-password'}
        required
        value={password}
        error={fieldProblem(error, 'password', t)}
        onChange={setPassword}
      />
      <Button type="submit" size="md" mt={6} loading={enter.isPending}>
        {props.submit}
      </Button>
    </form>
  );
}
