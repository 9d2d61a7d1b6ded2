import { Button, Group, Menu, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { post } from '../../api/client/client.ts';
import {
  personName,
  type SandboxPerson,
  type SandboxWorld,
  worldQuery,
} from '../../api/sandbox.ts';
import { ApiError } from '../../api/client/error.ts';
import { useT } from '../../i18n/use-t.tsx';
import { EmptyState } from '../../ui/lists/empty-state.tsx';
import { Dialog } from '../../ui/feedback/dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Loaded } from '../../shared/loaded.tsx';
import { Page, Panel } from '../../ui/page.tsx';
import { RowsSkeleton } from '../../ui/page-skeleton.tsx';
import { usePhones } from '../../shared/stored/use-phones.ts';
import { useAction } from '../../shared/use-action.ts';
import { Faults } from './faults.tsx';
import { Phone } from './phone.tsx';
import css from './phones.module.css';
import { useWorldEvents } from './use-world-events.ts';
import { withoutReload } from '../../ui/forms/without-reload.ts';

export function SandboxPage() {
  const t = useT();
  const world = useQuery(worldQuery);
  const table = usePhones();
  const [making, setMaking] = useState(false);
  useWorldEvents();
  const isOff = world.error instanceof ApiError && world.error.code === 'sandbox_disabled';
  const people = world.data?.users ?? [];
  const shown = table.phones.filter((id) => people.some((person) => person.id === id));
  const spare = people.filter((person) => !shown.includes(person.id));
  return (
    <Page
      wide
      title={t.sandbox.title}
      lead={t.sandbox.lead}
      actions={
        world.data ? (
          <Group gap="xs">
            <Faults world={world.data} />
            <AddPhone people={spare} onTake={table.take} onNew={() => setMaking(true)} />
          </Group>
        ) : null
      }
    >
      {isOff ? (
        <Panel flush>
          <EmptyState icon="phone" title={t.sandbox.off} hint={t.sandbox.offHint} />
        </Panel>
      ) : null}
      {isOff ? null : (
        <Loaded query={world} skeleton={<RowsSkeleton rows={1} height={420} />}>
          {(known) =>
            shown.length === 0 ? (
              <Panel flush>
                <EmptyState icon="phone" title={t.sandbox.empty} hint={t.sandbox.emptyHint}>
                  <AddPhone people={spare} onTake={table.take} onNew={() => setMaking(true)} />
                </EmptyState>
              </Panel>
            ) : (
              <Table world={known} phones={shown} onPutAway={table.putAway} />
            )
          }
        </Loaded>
      )}
      <NewPerson
        opened={making}
        count={people.length}
        onClose={() => setMaking(false)}
        onMade={table.take}
      />
    </Page>
  );
}

function Table(props: {
  world: SandboxWorld;
  phones: number[];
  onPutAway: (userId: number) => void;
}) {
  return (
    <div className={css.table}>
      {props.phones.map((id) => {
        const person = props.world.users.find((one) => one.id === id);
        return person ? (
          <Phone
            key={id}
            person={person}
            world={props.world}
            onPutAway={() => props.onPutAway(id)}
          />
        ) : null;
      })}
    </div>
  );
}

function AddPhone(props: {
  people: SandboxPerson[];
  onTake: (userId: number) => void;
  onNew: () => void;
}) {
  const t = useT();
  const button = (
    <Button
      leftSection={<Icon name="plus" />}
      {...(props.people.length === 0 ? { onClick: props.onNew } : {})}
    >
      {t.sandbox.addPhone}
    </Button>
  );
  if (props.people.length === 0) return button;
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown mah={320} style={{ overflowY: 'auto' }}>
        {props.people.map((person) => (
          <Menu.Item key={person.id} onClick={() => props.onTake(person.id)}>
            {personName(person)}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<Icon name="plus" size={16} />} onClick={props.onNew}>
          {t.sandbox.newPerson}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function NewPerson(props: {
  opened: boolean;
  count: number;
  onClose: () => void;
  onMade: (userId: number) => void;
}) {
  const t = useT();
  return (
    <Dialog opened={props.opened} onClose={props.onClose} title={t.sandbox.newPerson} size="sm">
      <PersonForm count={props.count} onClose={props.onClose} onMade={props.onMade} />
    </Dialog>
  );
}

function PersonForm(props: {
  count: number;
  onClose: () => void;
  onMade: (userId: number) => void;
}) {
  const t = useT();
  const names = t.sandbox.personNames;
  const [name, setName] = useState(names[props.count % names.length] ?? '');
  const create = useAction({
    run: (first_name: string) => post('/api/sandbox/users/create', { body: { first_name } }),
    refreshes: [['sandbox']],
    done: (person) => {
      props.onClose();
      props.onMade(person.id);
    },
  });
  return (
    <form onSubmit={withoutReload(() => create.mutate(name.trim()))}>
      <TextInput
        label={t.sandbox.personName}
        required
        withAsterisk={false}
        data-autofocus
        maxLength={64}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Button type="submit" mt="md" fullWidth loading={create.isPending}>
        {t.sandbox.create}
      </Button>
    </form>
  );
}
