import { Button, PasswordInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { changePassword } from '../../api/access.ts';
import { useT } from '../../i18n/use-t.tsx';
import { ErrorBox } from '../../ui/error-box.tsx';
import { Panel } from '../../ui/page.tsx';
import { useAction } from '../../ui/use-action.ts';
import css from './access.module.css';

export function OwnPassword() {
  const { access, entry } = useT();
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const change = useAction({
    run: changePassword,
    quiet: true,
    done: () => {
      setCurrent('');
      setNext('');
      return access.passwordChanged;
    },
  });
  function onSubmit(event: FormEvent): void {
    event.preventDefault();
    change.mutate({ current_password: current, password: next });
  }
  return (
    <Panel title={access.ownPassword} hint={access.ownPasswordHint}>
      <form className={css.inline} onSubmit={onSubmit}>
        <PasswordInput
          label={access.currentPassword}
          autoComplete="current-password"
          required
          withAsterisk={false}
          visibilityToggleButtonProps={{ 'aria-label': entry.showPassword }}
          value={current}
          onChange={(event) => setCurrent(event.currentTarget.value)}
        />
        <PasswordInput
          label={access.newPassword}
          autoComplete="new-password"
          required
          withAsterisk={false}
          minLength={8}
          visibilityToggleButtonProps={{ 'aria-label': entry.showPassword }}
          value={next}
          onChange={(event) => setNext(event.currentTarget.value)}
        />
        <Button type="submit" variant="default" loading={change.isPending}>
          {access.changePassword}
        </Button>
      </form>
      {change.error ? <ErrorBox error={change.error} /> : null}
    </Panel>
  );
}
