import { Menu } from '@mantine/core';
import { useState } from 'react';
import { post } from '../../api/client/client.ts';
import type { ShownMessage } from '../../api/sandbox.ts';
import { useT } from '../../i18n/use-t.tsx';
import { Icon } from '../../ui/icon.tsx';
import { useAction } from '../../shared/use-action.ts';
import { useFocusAfter } from '../../ui/use-focus-back.ts';
import { previewOf } from './phone-words.ts';
import css from './phones.module.css';

const reactions = ['👍', '❤️', '🔥'];

/** The actions of a message: reply, react, edit, delete. */
export function PhoneMessageMenu(props: {
  shown: ShownMessage;
  userId: number;
  chatId: number;
  onReply: () => void;
  onEdit: () => void;
}) {
  const { message, outgoing, pinned } = props.shown;
  const t = useT();
  const [wanted, setWanted] = useState(false);
  const focusAfter = useFocusAfter(wanted);
  const messageKey = { user: props.userId, chat: props.chatId, message_id: message.message_id };
  const run = useAction({
    run: (call: () => Promise<unknown>) => call(),
    refreshes: [['sandbox']],
  });
  const label = t.common.labelled(t.common.more, previewOf(message, t).slice(0, 40));
  const button = (
    <button
      type="button"
      className={css.dots}
      aria-haspopup="menu"
      aria-label={label}
      {...(wanted ? {} : { ref: focusAfter, onClick: () => setWanted(true) })}
    >
      <Icon name="dots" size={14} />
    </button>
  );
  // A plain button until it is opened, because a menu for each message would be slow.
  if (!wanted) return button;
  return (
    <Menu opened onClose={() => setWanted(false)} width={190}>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<Icon name="reply" size={16} />} onClick={props.onReply}>
          {t.chats.reply}
        </Menu.Item>
        {reactions.map((emoji) => (
          <Menu.Item
            key={emoji}
            leftSection={<span aria-hidden="true">{emoji}</span>}
            onClick={() =>
              run.mutate(() => post('/api/sandbox/react', { body: { ...messageKey, emoji } }))
            }
          >
            {t.sandbox.react(emoji)}
          </Menu.Item>
        ))}
        <Menu.Item
          leftSection={<Icon name="pin" size={16} />}
          onClick={() =>
            run.mutate(() => post('/api/sandbox/pin', { body: { ...messageKey, pinned: !pinned } }))
          }
        >
          {pinned ? t.people.unpin : t.people.pin}
        </Menu.Item>
        {outgoing && message.text !== undefined ? (
          <Menu.Item leftSection={<Icon name="edit" size={16} />} onClick={props.onEdit}>
            {t.common.edit}
          </Menu.Item>
        ) : null}
        {outgoing ? (
          <Menu.Item
            leftSection={<Icon name="trash" size={16} />}
            onClick={() => run.mutate(() => post('/api/sandbox/delete', { body: messageKey }))}
          >
            {t.common.delete}
          </Menu.Item>
        ) : null}
      </Menu.Dropdown>
    </Menu>
  );
}
