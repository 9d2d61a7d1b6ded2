import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { deleteUser, updateUser, usersQuery } from '../../api/access.ts';
import type { User } from '../../api/client/types.ts';
import { useSession } from '../../shared/use-session.ts';
import { useT } from '../../i18n/use-t.tsx';
import { Avatar } from '../../ui/avatar.tsx';
import { Entry, type EntryAction, EntryList } from '../../ui/lists/entry-list.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Loaded } from '../../shared/loaded.tsx';
import { Panel } from '../../ui/page.tsx';
import { RowsSkeleton } from '../../ui/page-skeleton.tsx';
import { TimeAgo } from '../../ui/text/time-ago.tsx';
import { useAction } from '../../shared/use-action.ts';
import { NewUserDialog } from './new-user-dialog.tsx';
import { UserBots, UserPassword } from './user-dialogs.tsx';

export function UsersPanel(props: { isAdding: boolean; onAdding: (opened: boolean) => void }) {
  const { access } = useT();
  const query = useQuery(usersQuery);
  return (
    <Panel
      flush
      title={access.users}
      hint={access.usersHint}
      actions={
        <Button leftSection={<Icon name="plus" />} onClick={() => props.onAdding(true)}>
          {access.newUser}
        </Button>
      }
    >
      <Loaded query={query} skeleton={<RowsSkeleton rows={2} />}>
        {(users) => (
          <EntryList>
            {users.map((user) => (
              <UserRow key={user.id} user={user} />
            ))}
          </EntryList>
        )}
      </Loaded>
      <NewUserDialog opened={props.isAdding} onClose={() => props.onAdding(false)} />
    </Panel>
  );
}

function UserRow(props: { user: User }) {
  const { user } = props;
  const { access } = useT();
  const session = useSession();
  const [doing, setDoing] = useState<'bots' | 'password'>();
  const actions = useUserActions(user, setDoing);
  const close = () => setDoing(undefined);
  const isYou = session.kind === 'user' && session.id === user.id;
  const about =
    user.role === 'admin'
      ? access.roles.admin
      : `${access.roles.user} · ${access.someBots(user.bot_ids.length)}`;
  return (
    <>
      <Entry
        name={user.username}
        off={user.disabled}
        lead={<Avatar id={user.id} name={user.username} size={34} />}
        sub={
          <>
            {about}
            {isYou ? ` · ${access.you}` : ''}
            {user.disabled ? ` · ${access.userDisabled}` : ''}
            {user.has_password ? '' : ` · ${access.noPassword}`}
          </>
        }
        side={
          <>
            {access.lastSignIn}: <TimeAgo at={user.last_sign_in_at} />
          </>
        }
        actions={isYou ? [] : actions}
      />
      {doing === 'bots' ? <UserBots user={user} onClose={close} /> : null}
      {doing === 'password' ? <UserPassword user={user} onClose={close} /> : null}
    </>
  );
}

function useUserActions(user: User, ask: (what: 'bots' | 'password') => void): EntryAction[] {
  const { access, common } = useT();
  const restore = useAction({ run: updateUser, refreshes: [usersQuery.queryKey] });
  const change = useAction({
    run: updateUser,
    refreshes: [usersQuery.queryKey],
    done: (changed) => {
      const { bot_ids, disabled, id, role } = user;
      return {
        words: access.userSaved(changed.username),
        undo: () => restore.mutate({ id, role, disabled, ...(role === 'user' ? { bot_ids } : {}) }),
      };
    },
  });
  const remove = useAction({
    run: () => deleteUser(user.id),
    refreshes: [usersQuery.queryKey],
    done: () => access.userDeleted(user.username),
  });
  const otherRole = user.role === 'admin' ? 'user' : 'admin';
  return [
    ...(user.role === 'admin'
      ? []
      : [{ label: access.assigned, icon: 'bot' as const, run: () => ask('bots') }]),
    { label: access.newPassword, icon: 'edit', run: () => ask('password') },
    {
      label: common.labelled(access.role, access.roles[otherRole]),
      icon: 'key',
      run: () => change.mutate({ id: user.id, role: otherRole }),
    },
    {
      label: user.disabled ? access.enableUser : access.disableUser,
      icon: user.disabled ? 'play' : 'pause',
      run: () => change.mutate({ id: user.id, disabled: !user.disabled }),
    },
    {
      label: common.delete,
      icon: 'trash',
      run: () => remove.mutate(undefined),
      ask: {
        title: access.deleteUserAsk(user.username),
        means: access.deleteUserHint,
        confirm: common.delete,
      },
    },
  ];
}
