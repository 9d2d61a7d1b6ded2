import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type ListedPerson, peopleOf } from '../../../api/admins.ts';
import type { ChatKey } from '../../../api/chats.ts';
import type { Bot } from '../../../api/client/types.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { Dialog } from '../../../ui/feedback/dialog.tsx';
import { speakerName } from '../history/history-items.ts';
import { RightsDialog } from './rights-dialog.tsx';

const typingMs = 200;
/** Statuses of people who are already administrators, or no members. */
const passedOver = new Set(['creator', 'administrator', 'kicked', 'left']);

/** Chooses the person first, then their rights. */
export function AppointDialog(props: { bot: Bot; chatKey: ChatKey; onClose: () => void }) {
  const { bot, chatKey } = props;
  const t = useT();
  const [text, setText] = useState('');
  const [q] = useDebouncedValue(text.trim(), typingMs);
  const [chosen, setChosen] = useState<ListedPerson>();
  const people = useQuery({
    queryKey: ['people', chatKey.bot_id, chatKey.chat_id, 'list', q],
    queryFn: ({ signal }) => peopleOf(chatKey, q, signal),
    placeholderData: keepPreviousData,
  });
  const found = (people.data ?? []).filter(
    (person) => !person.is_bot && !passedOver.has(person.status),
  );
  if (chosen) {
    return (
      <RightsDialog
        bot={bot}
        who={{ ...chatKey, user_id: chosen.user_id }}
        name={speakerName(chosen)}
        before={undefined}
        onClose={props.onClose}
      />
    );
  }
  return (
    <Dialog onClose={props.onClose} title={t.admins.add}>
      <Select
        label={t.admins.who}
        description={t.admins.whoHint}
        data-autofocus
        searchable
        searchValue={text}
        onSearchChange={setText}
        // The service has searched already.
        filter={({ options }) => options}
        nothingFoundMessage={t.admins.nobody}
        data={found.map((person) => ({
          value: String(person.user_id),
          label: labelOf(person),
        }))}
        value={null}
        onChange={(value) => setChosen(found.find((one) => String(one.user_id) === value))}
      />
    </Dialog>
  );
}

function labelOf(person: ListedPerson): string {
  const name = speakerName(person) || String(person.user_id);
  return person.username && name !== `@${person.username}` ? `${name} (@${person.username})` : name;
}
