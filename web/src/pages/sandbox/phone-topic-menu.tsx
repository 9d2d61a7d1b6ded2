import { ActionIcon, Menu } from '@mantine/core';
import { post } from '../../api/client/client.ts';
import type { ShownTopic } from '../../api/sandbox.ts';
import { useT } from '../../i18n/use-t.tsx';
import { useAction } from '../../shared/use-action.ts';
import { Icon } from '../../ui/icon.tsx';

const generalId = 1;

/** The actions of a topic: close, open, delete. */
export function PhoneTopicMenu(props: {
  userId: number;
  chatId: number;
  topic: ShownTopic;
  /** Topics of private chats cannot be closed. */
  inForum: boolean;
  onDeleted: () => void;
}) {
  const { message_thread_id, isClosed } = props.topic;
  const t = useT();
  const topicKey = { user: props.userId, chat: props.chatId, message_thread_id };
  const close = useAction({
    run: () => post('/api/sandbox/topics/edit', { body: { ...topicKey, is_closed: !isClosed } }),
    refreshes: [['sandbox']],
  });
  const remove = useAction({
    run: () => post('/api/sandbox/topics/delete', { body: topicKey }),
    refreshes: [['sandbox']],
    done: props.onDeleted,
  });
  return (
    <Menu position="bottom-end" width={210}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={t.common.more}>
          <Icon name="dots" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {props.inForum ? (
          <Menu.Item
            leftSection={<Icon name={isClosed ? 'play' : 'pause'} size={16} />}
            onClick={() => close.mutate(undefined)}
          >
            {isClosed ? t.sandbox.reopenTopic : t.sandbox.closeTopic}
          </Menu.Item>
        ) : null}
        {message_thread_id === generalId ? null : (
          <Menu.Item
            leftSection={<Icon name="trash" size={16} />}
            onClick={() => remove.mutate(undefined)}
          >
            {t.sandbox.deleteTopic}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
