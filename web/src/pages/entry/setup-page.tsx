import { Button, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { openSetupLink, sessionQuery } from '../../api/session.ts';
import { useT } from '../../i18n/use-t.tsx';
import { ErrorBox } from '../../ui/error-box.tsx';
import { PasswordField } from '../../ui/password-field.tsx';
import { useAction } from '../../ui/use-action.ts';
import { EntryCard } from './entry-card.tsx';
import css from './entry.module.css';
import { LinkButton } from '../../ui/link-button.tsx';

const shortestPassword = 8;

export function SetupPage() {
  const { entry } = useT();
  const token = useSetupToken();
  if (token === '') {
    return (
      <EntryCard title={entry.setupMissing} lead={entry.setupMissingHint}>
        <LinkButton to="/sign-in" variant="default">
          {entry.signInTitle}
        </LinkButton>
      </EntryCard>
    );
  }
  return (
    <EntryCard title={entry.setupTitle} lead={entry.setupLead}>
      <FirstAccountForm token={token} />
    </EntryCard>
  );
}

function FirstAccountForm(props: { token: string }) {
  const { entry } = useT();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const create = useAction({
    run: openSetupLink,
    quiet: true,
    done: (session) => {
      client.setQueryData(sessionQuery.queryKey, session);
      void navigate({ to: '/welcome', replace: true });
    },
  });
  const missing = shortestPassword - password.length;
  function onSubmit(event: FormEvent): void {
    event.preventDefault();
    if (missing <= 0) create.mutate({ token: props.token, username, password });
  }
  return (
    <form className={css.form} onSubmit={onSubmit}>
      {create.error ? <ErrorBox error={create.error} /> : null}
      <TextInput
        label={entry.username}
        description={entry.usernameHint}
        name="username"
        autoComplete="username"
        autoCapitalize="none"
        required
        withAsterisk={false}
        autoFocus
        value={username}
        onChange={(event) => setUsername(event.currentTarget.value)}
      />
      <PasswordField
        label={entry.password}
        description={
          password !== '' && missing > 0 ? entry.passwordShort(missing) : entry.passwordHint
        }
        name="password"
        autoComplete="new-password"
        required
        minLength={shortestPassword}
        value={password}
        onChange={setPassword}
      />
      <Button type="submit" size="md" mt={6} loading={create.isPending}>
        {entry.setupButton}
      </Button>
    </form>
  );
}

/** The link carries its secret after #, which browsers never send; ?token= works as well. */
function useSetupToken(): string {
  const search = useSearch({ from: '/setup' });
  const [fromHash] = useState(
    () => new URLSearchParams(window.location.hash.slice(1)).get('token') ?? '',
  );
  return fromHash || (search.token ?? '');
}
