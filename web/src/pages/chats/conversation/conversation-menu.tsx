import { Menu, UnstyledButton } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import {
  assignChat,
  assigneesQuery,
  type Chat,
  chatQuery,
  entryKey,
  entryQuery,
  setChatState,
  snoozeChat,
  type TopicKey,
} from '../../../api/chats.ts';
import { changeData } from '../../../api/client/change-data.ts';
import { gather } from '../../../api/client/gather.ts';
import { onLiveEvent } from '../../../api/client/live.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { useAction } from '../../../shared/use-action.ts';
import { useMay, useSession } from '../../../shared/use-session.ts';
import { Confirm } from '../../../ui/feedback/confirm.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { TimeAgo } from '../../../ui/text/time-ago.tsx';
import css from './conversation.module.css';

const gatherMs = 300;
const hourMs = 3_600_000;

/** Shows who waits and whose the conversation is, and sets both. */
export function ConversationMenu(props: { chat: Chat }) {
  const { chat } = props;
  const t = useT();
  const may = useMay('chats', 'send');
  const [taking, setTaking] = useState('');
  useFreshState(entryKey(chat));
  const client = useQueryClient();
  const key = entryKey(chat);
  const act = useAction({
    run: (change: () => Promise<Chat>) => change(),
    done: (changed) => {
      setTaking('');
      changeData(client, entryQuery(key).queryKey, () => changed);
    },
  });
  const state = <ConversationState chat={chat} />;
  if (!may) return <span className={css.pill}>{state}</span>;
  return (
    <>
      <Menu position="bottom-end" width={250}>
        <Menu.Target>
          <UnstyledButton className={css.pill} title={t.conversation.label}>
            {state}
            <Icon name="down" size={14} />
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          <StateItems chat={chat} onAct={(change) => act.mutate(change)} />
          <Menu.Divider />
          <AssigneeItems
            chat={chat}
            onAssign={(assignee) => act.mutate(() => assignChat({ ...key, assignee }))}
            onTake={setTaking}
          />
        </Menu.Dropdown>
      </Menu>
      <Confirm
        opened={taking !== ''}
        onClose={() => setTaking('')}
        title={t.conversation.takeAsk(chat.assignee?.name ?? '')}
        confirmLabel={t.conversation.takeConfirm}
        busy={act.isPending}
        onConfirm={() =>
          act.mutate(() => assignChat({ ...key, assignee: readTaking(taking), confirm: true }))
        }
      >
        <p>{t.conversation.takeMeans}</p>
      </Confirm>
    </>
  );
}

const nobody = 'nobody';
const readTaking = (taking: string) => (taking === nobody ? '' : taking);

function ConversationState({ chat }: { chat: Chat }) {
  const { conversation } = useT();
  const isSnoozed = chat.snoozed_until !== '';
  const state = isSnoozed ? 'snoozed' : (chat.state ?? 'done');
  return (
    <>
      <span className={css.dot} data-state={state} />
      <span className={css.words}>
        {conversation.states[state]}
        {state === 'waiting' ? (
          <span className={css.since}>
            {' '}
            <TimeAgo at={chat.unanswered_since} />
          </span>
        ) : null}
        {chat.assignee ? <bdi className={css.assignee}>{chat.assignee.name}</bdi> : null}
      </span>
    </>
  );
}

function StateItems(props: { chat: Chat; onAct: (change: () => Promise<Chat>) => void }) {
  const { chat, onAct } = props;
  const { conversation: words } = useT();
  const key = entryKey(chat);
  const until = (at: number) => () => snoozeChat({ ...key, until: new Date(at).toISOString() });
  const isWaiting = chat.state === 'waiting';
  return (
    <>
      {chat.state === 'done' ? null : (
        <Menu.Item
          leftSection={<Icon name="check" size={16} />}
          onClick={() => onAct(() => setChatState({ ...key, state: 'done' }))}
        >
          {words.markDone}
        </Menu.Item>
      )}
      {chat.state === 'open' ? null : (
        <Menu.Item
          leftSection={<Icon name="chats" size={16} />}
          onClick={() => onAct(() => setChatState({ ...key, state: 'open' }))}
        >
          {isWaiting ? words.markAnswered : words.reopen}
        </Menu.Item>
      )}
      {chat.snoozed_until !== '' ? (
        <Menu.Item
          leftSection={<Icon name="bell" size={16} />}
          onClick={() => onAct(() => snoozeChat(key))}
        >
          {words.endSnooze}
        </Menu.Item>
      ) : isWaiting ? (
        <>
          <Menu.Item
            leftSection={<Icon name="moon" size={16} />}
            onClick={() => onAct(until(Date.now() + hourMs))}
          >
            {words.snoozeHour}
          </Menu.Item>
          <Menu.Item
            leftSection={<Icon name="moon" size={16} />}
            onClick={() => onAct(until(tomorrowMorning()))}
          >
            {words.snoozeTomorrow}
          </Menu.Item>
        </>
      ) : null}
    </>
  );
}

function AssigneeItems(props: {
  chat: Chat;
  onAssign: (assignee: string) => void;
  /** Somebody else has it, so this needs to be confirmed. */
  onTake: (assignee: string) => void;
}) {
  const { chat } = props;
  const { conversation: words } = useT();
  const session = useSession();
  const users = useQuery(assigneesQuery(chat.bot_id)).data ?? [];
  const has = chat.assignee;
  const isMine = has?.kind === 'user' && has.id === session.id;
  const assign = !has || isMine ? props.onAssign : props.onTake;
  const others = users.filter(
    ({ id }) => id !== session.id && !(has?.kind === 'user' && has.id === id),
  );
  return (
    <>
      {isMine || !users.some(({ id }) => id === session.id) ? null : (
        <Menu.Item leftSection={<Icon name="take" size={16} />} onClick={() => assign('me')}>
          {words.assignMe}
        </Menu.Item>
      )}
      {others.map(({ id, name }) => (
        <Menu.Item
          key={id}
          leftSection={<Icon name="user" size={16} />}
          onClick={() => assign(`user:${id}`)}
        >
          {words.assignTo(name)}
        </Menu.Item>
      ))}
      {has ? (
        <Menu.Item
          leftSection={<Icon name="cross" size={16} />}
          onClick={() => (isMine ? props.onAssign('') : props.onTake(nobody))}
        >
          {words.unassign}
        </Menu.Item>
      ) : null}
    </>
  );
}

/** Messages change the state, so it is read again after them. */
function useFreshState({ bot_id, chat_id, message_thread_id }: TopicKey): void {
  const client = useQueryClient();
  useEffect(() => {
    const { queryKey } = chatQuery(bot_id, chat_id, message_thread_id);
    const reads = gather(async () => client.invalidateQueries({ queryKey, exact: true }), gatherMs);
    const stop = onLiveEvent(({ type, data }) => {
      if (type === 'message' && data.bot_id === bot_id && data.chat_id === chat_id) reads.ask();
    });
    return () => {
      stop();
      reads.stop();
    };
  }, [client, bot_id, chat_id, message_thread_id]);
}

function tomorrowMorning(): number {
  const at = new Date();
  at.setDate(at.getDate() + 1);
  return at.setHours(9, 0, 0, 0);
}
