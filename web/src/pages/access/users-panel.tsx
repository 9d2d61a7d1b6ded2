import { ActionIcon, Button, Menu } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { deleteUser, updateUser, usersQuery } from '../../api/access.ts';
import type { User } from '../../api/types.ts';
import { useSession } from '../../app/shell/use-session.ts';
import { useT } from '../../i18n/use-t.tsx';
import { Avatar } from '../../ui/avatar.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Panel } from '../../ui/page.tsx';
import { RowsSkeleton } from '../../ui/page-skeleton.tsx';
import { TimeAgo } from '../../ui/time-ago.tsx';
import { useAction } from '../../ui/use-action.ts';
import css from './access.module.css';
import { NewUserDialog } from './new-user-dialog.tsx';

export function UsersPanel() {
  const { access } = useT();
  const query = useQuery(usersQuery);
  const [adding, setAdding] = useState(false);
  return (
    <Panel
      flush
      title={access.users}
      hint={access.usersHint}
      actions={
        <Button leftSection={<Icon name="plus" />} onClick={() => setAdding(true)}>
          {access.newUser}
        </Button>
      }
    >
      <Loaded query={query} skeleton={<RowsSkeleton rows={2} />}>
        {(users) => (
          <ul className={css.list}>
            {users.map((user) => (
              <UserRow key={user.id} user={user} />
            ))}
          </ul>
        )}
      </Loaded>
      <NewUserDialog opened={adding} onClose={() => setAdding(false)} />
    </Panel>
  );
}

function UserRow(props: { user: User }) {
  const { user } = props;
  const { access, common } = useT();
  const session = useSession();
  const isYou = session.kind === 'user' && session.id === user.id;
  const about =
    user.role === 'admin'
      ? access.roles.admin
      : `${access.roles.user} · ${access.someBots(user.bot_ids.length)}`;
  return (
    <li className={css.row} data-off={user.disabled || undefined}>
      <span className={css.lead}>
        <Avatar id={user.id} name={user.username} size={34} />
      </span>
      <div>
        <div className={css.name}>{user.username}</div>
        <div className={css.sub}>
          {about}
          {isYou ? ` · ${access.you}` : ''}
          {user.disabled ? ` · ${access.keptOut}` : ''}
        </div>
      </div>
      <div className={css.when}>
        {access.lastSignIn}: <TimeAgo at={user.last_sign_in_at} />
      </div>
      {isYou ? <span /> : <UserMenu user={user} label={`${common.actions}: ${user.username}`} />}
    </li>
  );
}

function UserMenu(props: { user: User; label: string }) {
  const { user } = props;
  const { access, common } = useT();
  const client = useQueryClient();
  const [asking, setAsking] = useState(false);
  const refresh = () => void client.invalidateQueries({ queryKey: usersQuery.queryKey });
  const change = useAction({
    run: updateUser,
    done: (changed) => {
      refresh();
      return access.userSaved(changed.username);
    },
  });
  const remove = useAction({
    run: () => deleteUser(user.id),
    done: () => {
      refresh();
      return access.userDeleted(user.username);
    },
  });
  const otherRole = user.role === 'admin' ? 'user' : 'admin';
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={props.label}>
            <Icon name="dots" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => change.mutate({ id: user.id, role: otherRole })}>
            {access.role}: {access.roles[otherRole]}
          </Menu.Item>
          <Menu.Item onClick={() => change.mutate({ id: user.id, disabled: !user.disabled })}>
            {user.disabled ? access.letIn : access.keepOut}
          </Menu.Item>
          <Menu.Item c="var(--bad)" onClick={() => setAsking(true)}>
            {common.delete}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Confirm
        opened={asking}
        onClose={() => setAsking(false)}
        title={access.deleteUserAsk(user.username)}
        confirmLabel={common.delete}
        busy={remove.isPending}
        onConfirm={() => remove.mutate(undefined)}
      >
        {access.deleteUserHint}
      </Confirm>
    </>
  );
}
