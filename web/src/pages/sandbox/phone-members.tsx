import { post } from '../../api/client/client.ts';
import { personName, type SandboxPerson, type SandboxWorld } from '../../api/sandbox.ts';
import { useT } from '../../i18n/use-t.tsx';
import { Avatar } from '../../ui/avatar.tsx';
import { Dialog } from '../../ui/feedback/dialog.tsx';
import { Entry, type EntryAction, EntryList } from '../../ui/lists/entry-list.tsx';
import { useAction } from '../../shared/use-action.ts';

type Group = SandboxWorld['chats'][number];
type Member = Group['members'][number];

/** The usual rights of a moderating bot. */
const allRights = {
  can_manage_chat: true,
  can_change_info: true,
  can_delete_messages: true,
  can_restrict_members: true,
  can_invite_users: true,
  can_pin_messages: true,
  can_promote_members: true,
};

/** The members of a group; its owner removes people and bots, and makes them administrators. */
export function PhoneMembers(props: {
  person: SandboxPerson;
  group: Group;
  title: string;
  onClose: () => void;
}) {
  const { group, person } = props;
  const { common, people, sandbox } = useT();
  const own = group.members.find((member) => member.user.id === person.id)?.status;
  const mayManage = own === 'creator' || own === 'administrator';
  const actionsOf = useMemberActions(person, group);
  return (
    <Dialog
      title={common.labelled(props.title, sandbox.members(group.members.length))}
      onClose={props.onClose}
    >
      <EntryList>
        {group.members.map((member) => (
          <Entry
            key={member.user.id}
            name={personName(member.user)}
            lead={<Avatar id={member.user.id} name={personName(member.user)} size={32} />}
            sub={[
              member.user.is_bot ? sandbox.botWord : '',
              people.statuses[member.status as keyof typeof people.statuses] ?? member.status,
            ]
              .filter(Boolean)
              .join(' · ')}
            actions={
              mayManage && member.status !== 'creator' && member.user.id !== person.id
                ? actionsOf(member)
                : []
            }
          />
        ))}
      </EntryList>
    </Dialog>
  );
}

function useMemberActions(person: SandboxPerson, group: Group) {
  const { admins, sandbox } = useT();
  const chatKey = { by: person.id, chat: group.id };
  const bring = useAction({
    run: (user: number) => post('/api/sandbox/chats/add-member', { body: { ...chatKey, user } }),
    refreshes: [['sandbox']],
  });
  const remove = useAction({
    run: ({ user }: Member) =>
      post('/api/sandbox/chats/remove-member', { body: { ...chatKey, user: user.id } }),
    refreshes: [['sandbox']],
    done: (_gone, { user }) => ({
      words: sandbox.left(personName(user)),
      undo: () => bring.mutate(user.id),
    }),
  });
  const promote = useAction({
    run: ({ status, user }: Member) =>
      post('/api/sandbox/chats/promote', {
        body: {
          ...chatKey,
          user: user.id,
          rights: status === 'administrator' ? {} : allRights,
        },
      }),
    refreshes: [['sandbox']],
  });
  return (member: Member): EntryAction[] => [
    {
      label: member.status === 'administrator' ? admins.demote : admins.appoint,
      icon: 'key',
      run: () => promote.mutate(member),
    },
    { label: sandbox.removeMember, icon: 'cross', run: () => remove.mutate(member) },
  ];
}
