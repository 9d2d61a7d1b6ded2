import { Button, Skeleton } from '@mantine/core';
import { useLayoutEffect, useMemo, useRef, useState } from 'react';
import { Virtualizer, type VirtualizerHandle } from 'virtua';
import type { Bot, Message } from '../../api/types.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useT } from '../../i18n/use-t.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorBox } from '../../ui/error-box.tsx';
import { Icon } from '../../ui/icon.tsx';
import { toast } from '../../ui/toast.tsx';
import css from './chats.module.css';
import { type HistoryItem, historyItems } from './history-items.ts';
import { MessageBubble } from './message-bubble.tsx';
import type { useHistory } from './use-history.ts';

const nearEdge = 600;
const atEnd = 80;

/** Endless in both directions: older ones load above without moving what is being read. */
export function History(props: {
  bot: Bot;
  title: string;
  history: ReturnType<typeof useHistory>;
  onReply: (message: Message) => void;
  onPerson: (message: Message) => void;
}) {
  const { bot } = props;
  const { messages, query } = props.history;
  const t = useT();
  const list = useRef<VirtualizerHandle>(null);
  const stick = useRef(true);
  const [unseen, setUnseen] = useState(0);
  const [flash, setFlash] = useState('');
  const items = useMemo(
    () => historyItems(messages, { botPlatformId: bot.platform_id, complete: !query.hasNextPage }),
    [messages, bot.platform_id, query.hasNextPage],
  );
  const shift = useGrewAtStart(items);
  const newest = messages.at(-1)?.id;
  const seen = useRef(newest);

  useLayoutEffect(() => {
    if (newest === seen.current && newest !== undefined && !stick.current) return;
    const isNew = newest !== seen.current && seen.current !== undefined;
    seen.current = newest;
    if (stick.current) list.current?.scrollToIndex(items.length - 1, { align: 'end' });
    else if (isNew) setUnseen((count) => count + 1);
  }, [newest, items.length]);

  function onScroll(offset: number): void {
    const handle = list.current;
    if (!handle) return;
    stick.current = handle.scrollSize - handle.viewportSize - offset < atEnd;
    if (stick.current && unseen > 0) setUnseen(0);
    if (offset < nearEdge && query.hasNextPage && !query.isFetchingNextPage) {
      void query.fetchNextPage();
    }
  }
  function toNewest(): void {
    setUnseen(0);
    stick.current = true;
    list.current?.scrollToIndex(items.length - 1, { align: 'end' });
  }
  /** Loads older pages until the message is there, within reason. */
  async function jumpTo(messageId: number): Promise<void> {
    const key = `m${messageId}`;
    let found = items.findIndex((item) => item.key === key);
    for (let pages = 0; found < 0 && pages < 30; pages += 1) {
      const more = await query.fetchNextPage();
      const all = (more.data?.pages ?? []).flat().toReversed();
      const complete = !more.hasNextPage;
      found = historyItems(all, { botPlatformId: bot.platform_id, complete }).findIndex(
        (item) => item.key === key,
      );
      if (complete) break;
    }
    if (found < 0) {
      toast(t.chats.originFar, { tone: 'bad' });
      return;
    }
    stick.current = false;
    requestAnimationFrame(() => {
      list.current?.scrollToIndex(found, { align: 'center' });
      setFlash(key);
      window.setTimeout(() => setFlash(''), 1_700);
    });
  }

  if (query.isPending) return <HistorySkeleton />;
  if (query.isError) {
    return (
      <div style={{ padding: 20 }}>
        <ErrorBox error={query.error} onRetry={() => void query.refetch()} />
      </div>
    );
  }
  if (items.length === 0) {
    return <EmptyState icon="chats" title={t.chats.noMessages} hint={t.chats.noMessagesHint} />;
  }
  return (
    <div className={css.history}>
      <div
        className={css.scroller}
        tabIndex={0}
        role="log"
        aria-label={t.chats.historyLabel(props.title)}
      >
        {/* Few messages stand at the bottom, as in any messenger. */}
        <div style={{ flexGrow: 1 }} />
        <Virtualizer ref={list} data={items} shift={shift} onScroll={onScroll}>
          {(item) => (
            <Item
              key={item.key}
              item={item}
              flash={flash === item.key}
              messages={messages}
              onReply={props.onReply}
              onPerson={props.onPerson}
              onJump={(id) => void jumpTo(id)}
            />
          )}
        </Virtualizer>
      </div>
      {unseen > 0 ? (
        <Button
          className={css.toNewest}
          radius="xl"
          size="compact-md"
          leftSection={<Icon name="arrowDown" size={16} />}
          onClick={toNewest}
        >
          {t.chats.newBelow(unseen)}
        </Button>
      ) : null}
    </div>
  );
}

/** True in exactly the render in which older items came in at the start. */
function useGrewAtStart(items: HistoryItem[]): boolean {
  const firstMessage = items.find((item) => item.kind === 'message')?.key;
  const before = useRef(firstMessage);
  const grew =
    before.current !== undefined &&
    before.current !== firstMessage &&
    items.some((item) => item.key === before.current);
  useLayoutEffect(() => {
    before.current = firstMessage;
  });
  return grew;
}

function Item(props: {
  item: HistoryItem;
  flash: boolean;
  messages: Message[];
  onReply: (message: Message) => void;
  onPerson: (message: Message) => void;
  onJump: (messageId: number) => void;
}) {
  const { item } = props;
  const format = useFormat();
  const t = useT();
  if (item.kind === 'day') {
    return (
      <div className={css.day}>
        <span>{format.day(item.date)}</span>
      </div>
    );
  }
  if (item.kind === 'start') {
    return (
      <div className={css.day}>
        <span>{t.chats.beginning}</span>
      </div>
    );
  }
  const origin = item.message.reply_to_message_id;
  return (
    <MessageBubble
      item={item}
      flash={props.flash}
      origin={origin === undefined ? undefined : props.messages.find((one) => one.id === origin)}
      onReply={props.onReply}
      onPerson={props.onPerson}
      onJump={props.onJump}
    />
  );
}

function HistorySkeleton() {
  return (
    <div className={css.history} style={{ padding: 18 }} aria-busy="true">
      {[58, 40, 66, 34, 50].map((width, index) => (
        <Skeleton
          key={width}
          height={44}
          width={`${width}%`}
          radius={16}
          mb={12}
          ml={index % 2 === 0 ? 0 : 'auto'}
        />
      ))}
    </div>
  );
}
