import { Button, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useRouter, useSearch } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { sessionQuery, signIn } from '../../api/session.ts';
import { useT } from '../../i18n/use-t.tsx';
import { ErrorBox } from '../../ui/error-box.tsx';
import { PasswordField } from '../../ui/password-field.tsx';
import { useAction } from '../../ui/use-action.ts';
import { EntryCard } from './entry-card.tsx';
import css from './entry.module.css';

export function SignInPage() {
  const { entry } = useT();
  const client = useQueryClient();
  const navigate = useNavigate();
  const router = useRouter();
  const { next } = useSearch({ from: '/sign-in' });
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const enter = useAction({
    run: signIn,
    quiet: true,
    done: (session) => {
      client.setQueryData(sessionQuery.queryKey, session);
      if (isLocal(next)) router.history.push(next);
      else void navigate({ to: '/' });
    },
  });
  function onSubmit(event: FormEvent): void {
    event.preventDefault();
    enter.mutate({ username, password });
  }
  return (
    <EntryCard title={entry.signInTitle} lead={entry.signInLead}>
      <form className={css.form} onSubmit={onSubmit}>
        {enter.error ? <ErrorBox error={enter.error} /> : null}
        <TextInput
          label={entry.username}
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
          name="password"
          autoComplete="current-password"
          required
          value={password}
          onChange={setPassword}
        />
        <Button type="submit" size="md" mt={6} loading={enter.isPending}>
          {entry.signIn}
        </Button>
      </form>
      <p className={css.foot}>
        <strong>{entry.firstTime}</strong> {entry.firstTimeHint}
      </p>
    </EntryCard>
  );
}

/** Only paths of this page, never another site. */
function isLocal(next: string | undefined): next is string {
  return next !== undefined && /^\/(?![/\\])/.test(next);
}
