import { ActionIcon, Menu } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { deleteMessage, pinMessage, unpinMessage } from '../../api/messages.ts';
import { rightsQuery } from '../../api/people.ts';
import type { Message } from '../../api/types.ts';
import { useMay } from '../../app/shell/use-session.ts';
import { useT } from '../../i18n/use-t.tsx';
import { Icon } from '../../ui/icon.tsx';
import { toast } from '../../ui/toast.tsx';
import { useAction } from '../../ui/use-action.ts';
import type { BubbleActions } from './message-bubble.tsx';
import css from './message.module.css';

interface MenuProps {
  message: Message;
  own: boolean;
  actions: BubbleActions;
}

/** A plain button until it is asked for: a menu for each of many messages would cost frames. */
export function MessageMenu(props: MenuProps) {
  const t = useT();
  const may = useMay('manage');
  const [wanted, setWanted] = useState(false);
  if (!may) return null;
  if (wanted) return <OpenMenu {...props} onClose={() => setWanted(false)} />;
  return (
    <button
      type="button"
      className={css.tool}
      aria-haspopup="menu"
      aria-label={`${t.common.more}: ${props.message.text.slice(0, 40)}`}
      onClick={() => setWanted(true)}
    >
      <Icon name="dots" size={15} />
    </button>
  );
}

function OpenMenu(props: MenuProps & { onClose: () => void }) {
  const { actions, message } = props;
  const t = useT();
  const { bot_id, chat_id } = message;
  const rights = useQuery(rightsQuery({ bot_id, chat_id }));
  const reasonOf = (action: 'pin' | 'unpin' | 'delete') => {
    const verdict = rights.data?.find((one) => one.action === action);
    return verdict?.allowed === false ? verdict.reason : '';
  };
  const unpin = useAction({ run: unpinMessage, done: () => t.people.unpinned });
  const pin = useAction({
    run: pinMessage,
    done: () => toast(t.people.pinned, { undo: () => unpin.mutate(message) }),
  });
  const remove = useAction({
    run: deleteMessage,
    done: () => {
      actions.onChanged({ ...message, deleted_at: Math.floor(Date.now() / 1_000) });
      return t.people.messageDeleted;
    },
  });
  return (
    <Menu opened onClose={props.onClose} width={250} position="bottom-end" returnFocus>
      <Menu.Target>
        <ActionIcon
          variant="light"
          color="gray"
          size="sm"
          aria-label={`${t.common.more}: ${message.text.slice(0, 40)}`}
        >
          <Icon name="dots" size={15} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {props.own ? (
          <Menu.Item
            leftSection={<Icon name="edit" size={16} />}
            onClick={() => actions.onEdit(message)}
          >
            {t.common.edit}
          </Menu.Item>
        ) : null}
        <Choice
          icon="pin"
          name={t.people.pin}
          why={reasonOf('pin')}
          run={() => pin.mutate(message)}
        />
        <Choice
          icon="pin"
          name={t.people.unpin}
          why={reasonOf('unpin')}
          run={() => unpin.mutate(message)}
        />
        {props.own ? null : (
          <Menu.Item
            leftSection={<Icon name="user" size={16} />}
            onClick={() => actions.onPerson(message)}
          >
            {t.chats.showPerson}
          </Menu.Item>
        )}
        <Menu.Divider />
        <Choice
          icon="trash"
          name={t.people.deleteForAll}
          why={props.own ? '' : reasonOf('delete')}
          run={() => remove.mutate(message)}
        />
      </Menu.Dropdown>
    </Menu>
  );
}

function Choice(props: { icon: 'pin' | 'trash'; name: string; why: string; run: () => void }) {
  return (
    <Menu.Item
      leftSection={<Icon name={props.icon} size={16} />}
      disabled={props.why !== ''}
      {...(props.icon === 'trash' ? { color: 'var(--bad)' } : {})}
      onClick={props.run}
    >
      {props.name}
      {props.why === '' ? null : <span className={css.why}>{props.why}</span>}
    </Menu.Item>
  );
}
