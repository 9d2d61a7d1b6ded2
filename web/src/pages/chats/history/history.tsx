import { Button, Skeleton } from '@mantine/core';
import { useLayoutEffect, useMemo, useRef } from 'react';
import { Virtualizer } from 'virtua';
import type { ChatKey } from '../../../api/chats.ts';
import type { Bot, Message } from '../../../api/client/types.ts';
import { useFormat } from '../../../i18n/use-format.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { EmptyState } from '../../../ui/lists/empty-state.tsx';
import { ErrorBox } from '../../../shared/error-box.tsx';
import { Icon } from '../../../ui/icon.tsx';
import type { BubbleActions } from './bubble-actions.ts';
import {
  type Account,
  accountsIn,
  type HistoryItem,
  historyItems,
  withNotes,
} from './history-items.ts';
import { MessageBubble } from './message-bubble.tsx';
import css from '../message.module.css';
import type { useHistory } from './use-history.ts';
import { NoteLine, useNotes } from './notes.tsx';
import { MarksProvider } from './use-marks.tsx';
import { useHistoryView } from './use-history-view.ts';

/** The history of a chat, endless in both directions: older messages load above without moving the view. */
export function History(props: {
  bot: Bot;
  chatKey: ChatKey;
  title: string;
  history: ReturnType<typeof useHistory>;
  /** The message to start at; without it, the history starts at the end. */
  anchor: number | undefined;
  /** The number of messages sent from here: after each the view moves to the end. */
  sent: number;
  /** The text that is being sent. */
  sending: string | undefined;
  actions: Omit<BubbleActions, 'onJump'>;
  /** Called to show a message that is not loaded. */
  onFar: (messageId: number | undefined) => void;
}) {
  const { actions, anchor, bot } = props;
  const { messages, query } = props.history;
  const t = useT();
  const notes = useNotes(bot, props.chatKey.chat_id);
  const items = useMemo(() => {
    const complete = !query.hasNextPage;
    const shown = historyItems(messages, { botPlatformId: bot.platform_id, complete });
    return withNotes(shown, notes, { complete, latest: !query.hasPreviousPage });
  }, [messages, notes, bot.platform_id, query.hasNextPage, query.hasPreviousPage]);
  const byId = useMemo(() => new Map(messages.map((one) => [one.id, one])), [messages]);
  const accounts = useMemo(() => accountsIn(messages), [messages]);
  const shift = useGrewAtStart(items);
  const view = useHistoryView(props, items);
  const { list, end, unseen, flash } = view;
  const stable = useStable({ ...actions, onJump: view.jumpTo });

  if (query.isPending) return <HistorySkeleton />;
  if (query.isError && messages.length === 0) {
    return (
      <div className={css.history} style={{ padding: 20 }}>
        <ErrorBox error={query.error} onRetry={() => void query.refetch()} />
        {anchor === undefined ? null : (
          <Button mt="md" variant="light" onClick={() => props.onFar(undefined)}>
            {t.chats.toNewest}
          </Button>
        )}
      </div>
    );
  }
  if (items.length === 0 && props.sending === undefined) {
    return (
      <div className={css.history}>
        <EmptyState icon="chats" title={t.chats.noMessages} hint={t.chats.noMessagesHint} />
      </div>
    );
  }
  return (
    <div className={css.history}>
      <div
        ref={end.scroller}
        className={css.scroller}
        tabIndex={0}
        role="log"
        aria-label={t.chats.historyLabel(props.title)}
      >
        {/* A few messages appear at the bottom, as in any messenger. */}
        <div style={{ flexGrow: 1 }} />
        <MarksProvider botId={bot.id} enabled={bot.manage_enabled}>
          <Virtualizer ref={list} data={items} shift={shift} onScroll={view.onScroll}>
            {(item) => (
              <Item
                key={item.key}
                item={item}
                flash={flash === item.key}
                origin={originOf(item, byId)}
                managed={bot.manage_enabled}
                account={ownerOf(item, accounts)}
                actions={stable}
              />
            )}
          </Virtualizer>
        </MarksProvider>
        <div>{props.sending === undefined ? null : <Sending text={props.sending} />}</div>
      </div>
      {unseen > 0 || query.hasPreviousPage ? (
        <Button
          className={css.toNewest}
          size="compact-md"
          leftSection={<Icon name="arrowDown" size={15} />}
          onClick={view.toNewest}
        >
          {unseen > 0 ? t.chats.newBelow(unseen) : t.chats.toNewest}
        </Button>
      ) : null}
    </div>
  );
}

/** All bubbles share one object, so that they render only when they change. */
function useStable(actions: BubbleActions): BubbleActions {
  const latest = useRef(actions);
  latest.current = actions;
  return useMemo<BubbleActions>(
    () => ({
      onReply: (message) => latest.current.onReply(message),
      onEdit: (message) => latest.current.onEdit(message),
      onPerson: (message) => latest.current.onPerson(message),
      onView: (message) => latest.current.onView(message),
      onTrace: (message) => latest.current.onTrace(message),
      onChanged: (message) => latest.current.onChanged(message),
      onJump: (id) => latest.current.onJump(id),
    }),
    [],
  );
}

function originOf(item: HistoryItem, byId: Map<number, Message>): Message | undefined {
  if (item.kind !== 'message') return undefined;
  const id = item.message.reply_to_message_id;
  return id === undefined ? undefined : byId.get(id);
}

function ownerOf(item: HistoryItem, accounts: Map<string, Account>): string {
  const connection = item.kind === 'message' ? item.message.business_connection_id : undefined;
  return connection === undefined ? '' : (accounts.get(connection)?.owner ?? '');
}

/** True in exactly the render in which older items were added at the start. */
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
  origin: Message | undefined;
  managed: boolean;
  account: string;
  actions: BubbleActions;
}) {
  const { item } = props;
  const format = useFormat();
  const t = useT();
  if (item.kind === 'message') {
    return (
      <MessageBubble
        message={item.message}
        leads={item.leads}
        own={item.own}
        flash={props.flash}
        origin={props.origin}
        managed={props.managed}
        account={props.account}
        actions={props.actions}
      />
    );
  }
  if (item.kind === 'note') return <NoteLine note={item.note} />;
  return (
    <div className={css.day}>
      <span>{item.kind === 'day' ? format.day(item.date) : t.chats.beginning}</span>
    </div>
  );
}

function Sending(props: { text: string }) {
  const t = useT();
  return (
    <div className={css.message} data-own data-leads data-sending>
      <div className={css.bubbleRow}>
        <div className={css.bubble}>
          {props.text}
          <span className={css.stamp} role="status">
            {t.chats.sending}
          </span>
        </div>
      </div>
    </div>
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
