import { Menu } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { deleteMessage, pinMessage, unpinMessage } from '../../../api/messages.ts';
import { rightsQuery } from '../../../api/people.ts';
import type { Message } from '../../../api/client/types.ts';
import { useMay } from '../../../shared/use-session.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { useAction } from '../../../shared/use-action.ts';
import { useFocusAfter } from '../../../ui/use-focus-back.ts';
import type { BubbleActions } from './bubble-actions.ts';
import { isBusiness } from './history-items.ts';
import css from '../message.module.css';
import { useSide } from '../use-side.ts';
import { whyNot } from './decision-words.ts';

interface MenuProps {
  message: Message;
  own: boolean;
  actions: BubbleActions;
}

/** A plain button until it is opened, because a menu for each of many messages would be slow. */
export function MessageMenu(props: MenuProps) {
  const t = useT();
  const [wanted, setWanted] = useState(false);
  const button = useFocusAfter(wanted);
  if (wanted) return <OpenMenu {...props} onClose={() => setWanted(false)} />;
  return (
    <button
      ref={button}
      type="button"
      className={css.tool}
      aria-haspopup="menu"
      aria-label={t.common.labelled(t.common.more, props.message.text.slice(0, 40))}
      onClick={() => setWanted(true)}
    >
      <Icon name="dots" size={15} />
    </button>
  );
}

function OpenMenu(props: MenuProps & { onClose: () => void }) {
  const { actions, message } = props;
  const t = useT();
  const may = useMay('chats', 'manage');
  const maySend = useMay('chats', 'send');
  // In chats of a business account its owner sets the bot's rights, which the API does not show.
  const asks = may && !isBusiness(message);
  const side = useSide();
  const { bot_id, chat_id } = message;
  const rights = useQuery({ ...rightsQuery({ bot_id, chat_id }), enabled: asks });
  const disabledReason = (action: 'pin' | 'unpin' | 'delete') =>
    asks ? whyNot(rights.data, action, t) : '';
  const pinning = usePinning(message, actions.onChanged);
  const remove = useAction({
    run: deleteMessage,
    done: () => {
      actions.onChanged({ ...message, deleted_at: Math.floor(Date.now() / 1_000) });
      return t.people.messageDeleted;
    },
  });
  return (
    <Menu opened onClose={props.onClose} width={250} position="bottom-end">
      <Menu.Target>
        <button
          type="button"
          className={css.tool}
          aria-label={t.common.labelled(t.common.more, message.text.slice(0, 40))}
        >
          <Icon name="dots" size={15} />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        {maySend && window.matchMedia('(hover: none)').matches ? (
          <Menu.Item
            leftSection={<Icon name="reply" size={16} />}
            onClick={() => actions.onReply(message)}
          >
            {t.chats.reply}
          </Menu.Item>
        ) : null}
        <Menu.Item
          leftSection={<Icon name="reply" size={16} />}
          onClick={() => side.show({ thread: message.id })}
        >
          {t.chatInfo.showThread}
        </Menu.Item>
        <Menu.Item
          leftSection={<Icon name="route" size={16} />}
          onClick={() => actions.onTrace(message)}
        >
          {t.timeline.title}
        </Menu.Item>
        {props.own && may ? (
          <Menu.Item
            leftSection={<Icon name="edit" size={16} />}
            onClick={() => actions.onEdit(message)}
          >
            {t.common.edit}
          </Menu.Item>
        ) : null}
        {may ? (
          <>
            <Choice
              icon="pin"
              name={message.pinned ? t.people.unpin : t.people.pin}
              why={disabledReason(message.pinned ? 'unpin' : 'pin')}
              run={() => pinning.mutate(!message.pinned)}
            />
          </>
        ) : null}
        {props.own ? null : (
          <Menu.Item
            leftSection={<Icon name="user" size={16} />}
            onClick={() => actions.onPerson(message)}
          >
            {t.chats.showPerson}
          </Menu.Item>
        )}
        {may ? (
          <>
            <Menu.Divider />
            <Choice
              icon="trash"
              name={t.people.deleteForAll}
              why={props.own ? '' : disabledReason('delete')}
              run={() => remove.mutate(message)}
            />
          </>
        ) : null}
      </Menu.Dropdown>
    </Menu>
  );
}

/** Pins or unpins, and offers undo. */
function usePinning(message: Message, onChanged: (message: Message) => void) {
  const t = useT();
  const client = useQueryClient();
  async function run(pinned: boolean): Promise<boolean> {
    await (pinned ? pinMessage(message) : unpinMessage(message));
    onChanged({ ...message, pinned });
    void client.invalidateQueries({ queryKey: ['pinned', message.bot_id, message.chat_id] });
    return pinned;
  }
  const words = (pinned: boolean) => (pinned ? t.people.pinned : t.people.unpinned);
  const back = useAction({ run, done: words });
  return useAction({
    run,
    done: (pinned) => ({ words: words(pinned), undo: () => back.mutate(!pinned) }),
  });
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
