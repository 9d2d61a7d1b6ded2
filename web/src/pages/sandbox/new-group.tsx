import { Button, MultiSelect, TextInput } from '@mantine/core';
import { useClosingList } from '../../ui/forms/use-closing-list.ts';
import { useState } from 'react';
import { post } from '../../api/client/client.ts';
import { personName, type SandboxPerson, type SandboxWorld } from '../../api/sandbox.ts';
import { useT } from '../../i18n/use-t.tsx';
import { Dialog } from '../../ui/feedback/dialog.tsx';
import { useAction } from '../../shared/use-action.ts';
import { withoutReload } from '../../ui/forms/without-reload.ts';

interface GroupProps {
  owner: SandboxPerson;
  world: SandboxWorld;
  onClose: () => void;
  onMade: (chatId: number) => void;
}

export function NewGroup(props: GroupProps & { opened: boolean }) {
  const t = useT();
  return (
    <Dialog opened={props.opened} onClose={props.onClose} title={t.sandbox.newGroup} size="sm">
      <GroupForm {...props} />
    </Dialog>
  );
}

function GroupForm(props: GroupProps) {
  const { owner, world } = props;
  const t = useT();
  const [title, setTitle] = useState(t.sandbox.groupExample);
  const [members, setMembers] = useState<string[]>([]);
  const list = useClosingList();
  const make = useAction({
    run: () =>
      post('/api/sandbox/chats/create', {
        body: {
          title,
          owner: owner.id,
          members: members.map(Number),
        },
      }),
    refreshes: [['sandbox']],
    done: (chat) => {
      props.onClose();
      props.onMade(chat.id);
    },
  });
  return (
    <form
      onSubmit={withoutReload(() => make.mutate(undefined))}
      style={{ display: 'grid', gap: 14 }}
    >
      <TextInput
        label={t.sandbox.groupTitle}
        required
        withAsterisk={false}
        data-autofocus
        maxLength={128}
        value={title}
        onChange={(event) => setTitle(event.currentTarget.value)}
      />
      <MultiSelect
        label={t.sandbox.groupMembers}
        data={[...world.bots, ...world.users.filter((one) => one.id !== owner.id)].map((one) => ({
          value: String(one.id),
          label: personName(one),
        }))}
        value={members}
        onChange={setMembers}
        searchable
        {...list}
      />
      <Button type="submit" loading={make.isPending}>
        {t.sandbox.makeGroup}
      </Button>
    </form>
  );
}
