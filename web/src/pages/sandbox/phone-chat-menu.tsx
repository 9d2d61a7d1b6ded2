import { ActionIcon, Menu } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { post } from '../../api/client/client.ts';
import {
  personName,
  phoneChatsQuery,
  type SandboxPerson,
  type SandboxWorld,
} from '../../api/sandbox.ts';
import { useT } from '../../i18n/use-t.tsx';
import { Icon } from '../../ui/icon.tsx';
import { useAction } from '../../shared/use-action.ts';
import { PhoneMembers } from './phone-members.tsx';
import { chatIn } from './phone-words.ts';

/** The actions of a chat: turn topics on, add a member, leave, or block a bot. */
export function PhoneChatMenu(props: {
  person: SandboxPerson;
  world: SandboxWorld;
  chatId: number;
  onLeft: () => void;
}) {
  const { chatId, person, world } = props;
  const t = useT();
  const { bot, group, title } = chatIn(world, chatId);
  const bring = useAction({
    run: (user: number) =>
      post('/api/sandbox/chats/add-member', { body: { by: person.id, chat: chatId, user } }),
    refreshes: [['sandbox']],
  });
  const join = useAction({
    run: () => post('/api/sandbox/chats/join', { body: { user: person.id, chat: chatId } }),
    refreshes: [['sandbox']],
  });
  const leave = useAction({
    run: () => post('/api/sandbox/chats/leave', { body: { user: person.id, chat: chatId } }),
    refreshes: [['sandbox']],
    done: () => {
      props.onLeft();
      return { words: t.sandbox.left(personName(person)), undo: () => join.mutate(undefined) };
    },
  });
  const [looking, setLooking] = useState(false);
  const block = useAction({
    run: (blocked: boolean) =>
      post('/api/sandbox/users/block-bot', { body: { user: person.id, bot: chatId, blocked } }),
    refreshes: [['sandbox']],
  });
  const chats = useQuery(phoneChatsQuery(person.id)).data;
  const shown = chats?.find((one) => one.chat.id === chatId);
  const isBlocked = shown?.blocked ?? false;
  const canHaveTopics = group ? group.type === 'supergroup' : bot?.hasTopics === true;
  const enableTopics = useAction({
    run: (enabled: boolean) =>
      post('/api/sandbox/topics/enable', { body: { user: person.id, chat: chatId, enabled } }),
    refreshes: [['sandbox']],
  });
  const outside = [...world.bots, ...world.users].filter(
    (one) => !group?.members.some((member) => member.user.id === one.id),
  );
  return (
    <>
      <Menu position="bottom-end" width={210}>
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={t.common.more}>
            <Icon name="dots" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown mah={340} style={{ overflowY: 'auto' }}>
          {canHaveTopics ? (
            <Menu.Item
              leftSection={<Icon name="menu" size={16} />}
              onClick={() => enableTopics.mutate(shown?.hasTopics === false)}
            >
              {shown?.hasTopics === false ? t.sandbox.topicsOn : t.sandbox.topicsOff}
            </Menu.Item>
          ) : null}
          {group ? (
            <>
              <Menu.Item
                leftSection={<Icon name="group" size={16} />}
                onClick={() => setLooking(true)}
              >
                {t.sandbox.members(group.members.length)}
              </Menu.Item>
              <Menu.Item
                leftSection={<Icon name="signOut" size={16} />}
                onClick={() => leave.mutate(undefined)}
              >
                {t.sandbox.leave}
              </Menu.Item>
              <Menu.Divider />
              <Menu.Label>{t.sandbox.addMember}</Menu.Label>
              {outside.map((one) => (
                <Menu.Item
                  key={one.id}
                  leftSection={<Icon name={one.is_bot ? 'bot' : 'user'} size={16} />}
                  onClick={() => bring.mutate(one.id)}
                >
                  {personName(one)}
                </Menu.Item>
              ))}
            </>
          ) : (
            <Menu.Item
              leftSection={<Icon name={isBlocked ? 'play' : 'pause'} size={16} />}
              onClick={() => block.mutate(!isBlocked)}
            >
              {isBlocked ? t.sandbox.unblock : t.sandbox.block}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {group && looking ? (
        <PhoneMembers
          person={person}
          group={group}
          title={title}
          onClose={() => setLooking(false)}
        />
      ) : null}
    </>
  );
}
