import { Button } from '@mantine/core';
import { useState } from 'react';
import { changePassword } from '../../api/access.ts';
import { useT } from '../../i18n/use-t.tsx';
import { ErrorBox } from '../../shared/error-box.tsx';
import { Panel } from '../../ui/page.tsx';
import { PasswordField } from '../../ui/forms/password-field.tsx';
import { useAction } from '../../shared/use-action.ts';
import css from './settings.module.css';
import { withoutReload } from '../../ui/forms/without-reload.ts';

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
  return (
    <Panel title={access.ownPassword} hint={access.ownPasswordHint}>
      <form
        className={css.inline}
        onSubmit={withoutReload(() => change.mutate({ current_password: current, password: next }))}
      >
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
