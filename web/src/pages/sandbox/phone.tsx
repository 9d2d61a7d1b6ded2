import { ActionIcon, Menu } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import {
  personName,
  phoneChatsQuery,
  type SandboxPerson,
  type SandboxWorld,
} from '../../api/sandbox.ts';
import { useT } from '../../i18n/use-t.tsx';
import { Avatar } from '../../ui/avatar.tsx';
import { lazyDialog } from '../../ui/feedback/lazy-dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { PhoneChat } from './phone-chat.tsx';
import { PhoneChats } from './phone-chats.tsx';
import { PhoneForum } from './phone-topics.tsx';
import css from './phones.module.css';

const NewGroup = lazyDialog(async () => (await import('./new-group.tsx')).NewGroup);

/** One person's phone: a list of chats, or one chat. */
export function Phone(props: {
  person: SandboxPerson;
  world: SandboxWorld;
  onPutAway: () => void;
}) {
  const { person, world } = props;
  const t = useT();
  const [chatId, setChatId] = useState<number>();
  const [grouping, setGrouping] = useState(false);
  const label = t.sandbox.phoneOf(personName(person));
  const chats = useQuery(phoneChatsQuery(person.id)).data;
  const hasTopics =
    chats?.find((one) => one.chat.id === chatId)?.hasTopics ??
    world.bots.some((bot) => bot.id === chatId && bot.hasTopics);
  const Shown = hasTopics ? PhoneForum : PhoneChat;
  return (
    <section className={css.phone} aria-label={label}>
      {chatId === undefined ? (
        <>
          <header className={css.bar}>
            <Avatar id={person.id} name={personName(person)} size={36} />
            <div className={css.barText}>
              <div className={css.barName}>{personName(person)}</div>
              <div className={css.barSub}>
                {person.username ? `@${person.username}` : person.id}
              </div>
            </div>
            <NewChat world={world} onChat={setChatId} onGroup={() => setGrouping(true)} />
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t.sandbox.closePhone}
              onClick={props.onPutAway}
            >
              <Icon name="cross" />
            </ActionIcon>
          </header>
          <PhoneChats person={person} world={world} onChat={setChatId} />
        </>
      ) : (
        <>
          <div className={css.owner}>
            <Avatar id={person.id} name={personName(person)} size={18} />
            <bdi>{personName(person)}</bdi>
          </div>
          <Shown
            key={chatId}
            person={person}
            world={world}
            chatId={chatId}
            onBack={() => setChatId(undefined)}
          />
        </>
      )}
      <NewGroup
        owner={person}
        world={world}
        opened={grouping}
        onClose={() => setGrouping(false)}
        onMade={setChatId}
      />
    </section>
  );
}

function NewChat(props: {
  world: SandboxWorld;
  onChat: (chatId: number) => void;
  onGroup: () => void;
}) {
  const t = useT();
  return (
    <Menu position="bottom-end" width={210}>
      <Menu.Target>
        <ActionIcon variant="light" aria-label={t.sandbox.newChat}>
          <Icon name="plus" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown mah={320} style={{ overflowY: 'auto' }}>
        <Menu.Label>{t.sandbox.writeToBot}</Menu.Label>
        {props.world.bots.length === 0 ? <Menu.Label>{t.sandbox.noBots}</Menu.Label> : null}
        {props.world.bots.map((bot) => (
          <Menu.Item
            key={bot.id}
            leftSection={<Icon name="bot" size={16} />}
            onClick={() => props.onChat(bot.id)}
          >
            {bot.first_name}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<Icon name="group" size={16} />} onClick={props.onGroup}>
          {t.sandbox.newGroup}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
