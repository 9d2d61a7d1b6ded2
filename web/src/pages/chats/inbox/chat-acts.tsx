import { ActionIcon, Tooltip } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import {
  assignChat,
  type Chat,
  entryKey,
  entryQuery,
  setChatState,
  snoozeChat,
  type TopicKey,
} from '../../../api/chats.ts';
import { ApiError } from '../../../api/client/error.ts';
import { changeData } from '../../../api/client/change-data.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { useAction } from '../../../shared/use-action.ts';
import { useMay, useSession } from '../../../shared/use-session.ts';
import { toast } from '../../../ui/feedback/toast.tsx';
import { Icon, type IconName } from '../../../ui/icon.tsx';
import { changeListed } from '../use-chats.ts';
import css from './inbox.module.css';

const hourMs = 3_600_000;
const chordMs = 1_200;

interface Change {
  act: Act;
  chat: Chat;
  /** Takes the conversation from somebody else. */
  confirm?: boolean;
}

type Act = 'take' | 'snooze' | 'done';
/** The keys of the acts, by their position on the keyboard. */
const actOfKey: Record<string, Act> = { KeyA: 'take', KeyS: 'snooze', KeyE: 'done' };
const icons = { take: 'take', snooze: 'moon', done: 'check' } as const satisfies Record<
  Act,
  IconName
>;

/** Changes a conversation by one click or key; taking one that another has is to be confirmed. */
function useChatAct() {
  const client = useQueryClient();
  const { conversation, inbox } = useT();
  const changing = useAction({
    run: async ({ act, chat, confirm = false }: Change) => {
      const key = entryKey(chat);
      if (act === 'take') return take({ ...key, confirm });
      if (act === 'done') return setChatState({ ...key, state: 'done' });
      return snoozeChat({ ...key, until: new Date(Date.now() + hourMs).toISOString() });
    },
    done: (changed, { act, chat }) => {
      if ('heldBy' in changed) {
        const run = () => changing.mutate({ act, chat, confirm: true });
        const action = { name: conversation.takeConfirm, run };
        toast(inbox.taken(changed.heldBy), { tone: 'bad', action });
        return;
      }
      changeData(client, entryQuery(changed).queryKey, () => changed);
      changeListed(client, changed);
    },
  });
  return changing;
}

async function take(key: TopicKey & { confirm: boolean }): Promise<Chat | { heldBy: string }> {
  try {
    return await assignChat({ ...key, assignee: 'me' });
  } catch (error) {
    if (!(error instanceof ApiError) || error.reason?.code !== 'chat_assigned') throw error;
    const { name } = error.reason.params as { name: string };
    return { heldBy: name };
  }
}

/** The acts that make sense for a conversation in its state. */
function useActs(): (chat: Chat | undefined) => Act[] {
  const me = useSession().id;
  const may = useMay('chats', 'send');
  return (chat) => {
    if (!may || !chat?.state) return [];
    const isMine = chat.assignee?.kind === 'user' && chat.assignee.id === me;
    const isWaiting = chat.state === 'waiting' && chat.snoozed_until === '';
    return [
      ...(isMine ? [] : (['take'] as const)),
      ...(isWaiting ? (['snooze'] as const) : []),
      ...(chat.state === 'done' ? [] : (['done'] as const)),
    ];
  };
}

export function ChatActs({ chat }: { chat: Chat }) {
  const { inbox } = useT();
  const act = useChatAct();
  return (
    <span className={css.acts}>
      {useActs()(chat).map((name) => (
        <Tooltip key={name} label={inbox.acts[name]}>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={inbox.acts[name]}
            onClick={() => act.mutate({ act: name, chat })}
          >
            <Icon name={icons[name]} />
          </ActionIcon>
        </Tooltip>
      ))}
    </span>
  );
}

/** Keys that work on the focused chat of the list, or on the open one, except while typing. */
export function useChatKeys(chat: Chat | undefined, onStep: (by: 1 | -1) => void): void {
  const act = useChatAct();
  const acts = useActs();
  const latest = useRef({ act, acts, chat, onStep });
  latest.current = { act, acts, chat, onStep };
  useEffect(() => {
    let goUntil = 0;
    function onKey(event: KeyboardEvent): void {
      if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
      const { target } = event;
      const isElsewhere =
        target instanceof Element &&
        target.closest('input, textarea, select, [contenteditable], [role=dialog], [role=menu]');
      if (isElsewhere) return;
      const isChord = event.timeStamp < goUntil;
      goUntil = event.code === 'KeyG' ? event.timeStamp + chordMs : 0;
      if (isChord) return;
      const known = latest.current;
      const name = actOfKey[event.code];
      if (name && known.chat && known.acts(known.chat).includes(name)) {
        // The next chat takes the place of one that is done, and a key that is held is not for it.
        if (!event.repeat) known.act.mutate({ act: name, chat: known.chat });
      } else if (event.code === 'KeyR') {
        const field = document.querySelector<HTMLElement>('main form textarea');
        if (!field) return;
        event.preventDefault();
        field.focus();
      } else if (event.code === 'KeyJ') known.onStep(1);
      else if (event.code === 'KeyK') known.onStep(-1);
    }
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}
