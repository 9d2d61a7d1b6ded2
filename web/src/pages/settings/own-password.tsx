import { Button } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { changePassword } from '../../api/access.ts';
import { useT } from '../../i18n/use-t.tsx';
import { ErrorBox } from '../../shared/error-box.tsx';
import { Panel } from '../../ui/page.tsx';
import { PasswordField } from '../../ui/forms/password-field.tsx';
import { useAction } from '../../shared/use-action.ts';
import css from './settings.module.css';

export function OwnPassword() {
  const { access } = useT();
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
        <PasswordField
          label={access.currentPassword}
          autoComplete="current-password"
          required
          value={current}
          onChange={setCurrent}
        />
        <PasswordField
          label={access.newPassword}
          autoComplete="new-password"
          required
          minLength={8}
          value={next}
          onChange={setNext}
        />
        <Button type="submit" variant="default" loading={change.isPending}>
          {access.changePassword}
        </Button>
      </form>
      {change.error ? <ErrorBox error={change.error} /> : null}
    </Panel>
  );
}
