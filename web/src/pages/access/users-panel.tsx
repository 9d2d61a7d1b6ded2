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
import { lazyDialog, lazyPart } from '../../ui/feedback/lazy-dialog.tsx';
import { Panel } from '../../ui/page.tsx';
import { RowsSkeleton } from '../../ui/page-skeleton.tsx';
import { TimeAgo } from '../../ui/text/time-ago.tsx';
import { useAction } from '../../shared/use-action.ts';
import { roleOf } from './role-of.ts';
import { useBotNames } from './use-bot-names.ts';

const NewUserDialog = lazyDialog(async () => (await import('./new-user-dialog.tsx')).NewUserDialog);
const UserPassword = lazyPart(async () => (await import('./user-dialogs.tsx')).UserPassword);
const UserSettings = lazyPart(async () => (await import('./user-dialogs.tsx')).UserSettings);

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

type Asked = 'settings' | 'password';

function UserRow(props: { user: User }) {
  const { user } = props;
  const { access } = useT();
  const session = useSession();
  const [doing, setDoing] = useState<Asked>();
  const actions = useUserActions(user, setDoing);
  const close = () => setDoing(undefined);
  const isYou = session.kind === 'user' && session.id === user.id;
  const botNames = useBotNames();
  const role = roleOf(user);
  const about = `${access.roles[role]} · ${botNames(role === 'admin' ? null : user.bot_ids)}`;
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
        // Nobody disables or deletes themselves by mistake.
        actions={isYou ? actions.slice(0, 1) : actions}
      />
      {doing === 'settings' ? <UserSettings user={user} onClose={close} /> : null}
      {doing === 'password' ? <UserPassword user={user} onClose={close} /> : null}
    </>
  );
}

function useUserActions(user: User, ask: (what: Asked) => void): EntryAction[] {
  const { access, common } = useT();
  const restore = useAction({ run: updateUser, refreshes: [usersQuery.queryKey] });
  const change = useAction({
    run: updateUser,
    refreshes: [usersQuery.queryKey],
    done: (changed) => {
      const { disabled, id } = user;
      return {
        words: access.userSaved(changed.username),
        undo: () => restore.mutate({ id, disabled }),
      };
    },
  });
  const remove = useAction({
    run: () => deleteUser(user.id),
    refreshes: [usersQuery.queryKey],
    done: () => access.userDeleted(user.username),
  });
  return [
    { label: access.roleAndBots, icon: 'key', run: () => ask('settings') },
    { label: access.newPassword, icon: 'edit', run: () => ask('password') },
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
