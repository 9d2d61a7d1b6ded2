import { NativeSelect } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { Virtualizer, type VirtualizerHandle } from 'virtua';
import { botName } from '../../api/bots.ts';
import { type Chat, chatQuery, conversationTopic } from '../../api/chats.ts';
import type { Bot } from '../../api/client/types.ts';
import { useMay, useMayAddBots } from '../../shared/use-session.ts';
import { useT } from '../../i18n/use-t.tsx';
import { EmptyState } from '../../ui/lists/empty-state.tsx';
import { ErrorBox } from '../../shared/error-box.tsx';
import { Icon } from '../../ui/icon.tsx';
import { lazyPart } from '../../ui/feedback/lazy-dialog.tsx';
import { SearchField } from '../../ui/forms/search-field.tsx';
import { LinkButton } from '../../ui/link-button.tsx';
import { RowsSkeleton } from '../../ui/page-skeleton.tsx';
import { useNow } from '../../ui/text/time-ago.tsx';
import { type ChatSearch, readChatSearch } from './chat-search.ts';
import { ChatRow } from './chat-row.tsx';
import css from './chats.module.css';
import { EnableManagement } from './admin/management-off.tsx';
import { useChatKeys } from './inbox/chat-acts.tsx';
import { type InboxFilter, queryOf, useInboxFilter } from './inbox/inbox-filter.ts';
import { InboxTabs } from './inbox/inbox-tabs.tsx';
import { useInbox } from './inbox/use-inbox.ts';
import { keyOf, useChats } from './use-chats.ts';
import { useListKeys } from './use-list-keys.ts';
import { useSteadyOrder } from './use-steady-order.ts';

const MessageHits = lazyPart(
  async () => (await import('./history/message-hits.tsx')).MessageHits,
  <RowsSkeleton rows={2} />,
);

const typingMs = 200;
const nearEnd = 400;
/** How often rows render without a change. */
const stillMs = 600_000;
/** Limited, because each bot is queried separately. */
const maxBots = 50;
const maxUnmanaged = 8;

export function ChatList(props: {
  bots: Bot[];
  /** Called with true if there is a chat to choose. */
  onListed: (hasChats: boolean) => void;
}) {
  const { bots, onListed } = props;
  const t = useT();
  const { choose, filter } = useInboxFilter();
  const { q, setText, text } = useSearchText();
  const chosen = bots.filter((bot) => filter.bot === undefined || bot.id === filter.bot);
  const wanted = chosen.filter((bot) => bot.manage_enabled);
  const managed = useLatestBots(wanted);
  const ids = managed.map((bot) => bot.id);
  const inboxQuery = useMemo(() => queryOf(filter), [filter]);
  const everything = useChats(inboxQuery ? [] : ids, q);
  const inbox = useInbox(inboxQuery, q);
  const { chats: latest, query } = inboxQuery ? inbox : everything;
  const list = useRef<VirtualizerHandle>(null);
  const [isPointed, setPointed] = useState(false);
  const [focused, setFocused] = useState('');
  const scope = `${ids.join()} ${query.isPlaceholderData} ${q} ${JSON.stringify(filter)}`;
  const isHeld = isPointed || focused !== '';
  const isByWaiting = inboxQuery?.order === 'waiting';
  const { chats, waiting } = useSteadyOrder(latest, isHeld, scope, isByWaiting);
  const rows = useMemo(() => chats.map(keyOf), [chats]);
  const keys = useListKeys({ keys: rows, list, focused, setFocused });
  const hasChats = chats.length > 0;
  useEffect(() => onListed(hasChats), [hasChats, onListed]);
  const now = useNow(stillMs);
  const navigate = useNavigate();
  const params = useParams({ strict: false });
  const openBotId = Number(params.botId ?? 0);
  const openChatId = Number(params.chatId ?? 0);
  const { topic: chosenTopic } = useSearch({ strict: false });
  const openBot = bots.find((bot) => bot.id === openBotId);
  const openTopic = openBot ? conversationTopic(openBot, openChatId, chosenTopic) : 0;
  const open = useCallback(
    ({ bot_id, chat_id, message_thread_id: topic }: Chat) =>
      void navigate({
        to: '/chats/$botId/$chatId',
        params: { botId: String(bot_id), chatId: String(chat_id) },
        search: topic === undefined ? {} : { topic },
      }),
    [navigate],
  );

  const isOpen = ({ bot_id, chat_id, message_thread_id = 0 }: Chat) =>
    bot_id === openBotId && chat_id === openChatId && message_thread_id === openTopic;
  const openChat = chats.find(isOpen);
  const known = useQuery({
    ...chatQuery(openBotId, openChatId, openTopic),
    enabled: openBot?.manage_enabled === true && openChatId !== 0,
  }).data;
  useChatKeys(chats.find((chat) => keyOf(chat) === focused) ?? known ?? openChat, keys.step);

  function onScroll(offset: number): void {
    const handle = list.current;
    if (!handle || !query.hasNextPage || query.isFetchingNextPage) return;
    if (handle.scrollSize - handle.viewportSize - offset < nearEnd) void query.fetchNextPage();
  }
  return (
    <section className={css.listColumn} aria-label={t.chats.listLabel}>
      <ListHead
        bots={bots}
        waiting={waiting}
        filter={filter}
        topicName={chats.find((chat) => chat.message_thread_id === filter.in_topic)?.topic_name}
        choose={choose}
      >
        <SearchField size="sm" label={t.chats.search} value={text} onChange={setText} />
      </ListHead>
      {query.isError ? (
        <div className={css.listNote}>
          <ErrorBox error={query.error} onRetry={() => void query.refetch()} />
        </div>
      ) : null}
      <div
        ref={keys.box}
        className={css.list}
        data-chat-list
        // Touch moves the list itself and never hovers, so only a mouse counts.
        onPointerEnter={({ pointerType }) => setPointed(pointerType === 'mouse')}
        onPointerLeave={() => setPointed(false)}
        {...keys.handlers}
      >
        {query.isLoading ? <RowsSkeleton rows={6} height={50} /> : null}
        {!inboxQuery && managed.length < wanted.length ? (
          <p className={css.listNote}>{t.chats.latestBots(managed.length)}</p>
        ) : null}
        <NoChats
          hasBots={bots.length > 0}
          isEmpty={query.isSuccess && chats.length === 0 && q === ''}
          inInbox={inboxQuery !== undefined}
          isMine={filter.inbox === 'mine'}
        />
        <Virtualizer
          ref={list}
          data={chats}
          as="ul"
          item="li"
          keepMounted={keys.keepMounted}
          onScroll={onScroll}
        >
          {(chat) => (
            <ChatRow
              key={keyOf(chat)}
              chat={chat}
              bot={bots.length > 1 ? bots.find((one) => one.id === chat.bot_id) : undefined}
              active={isOpen(chat)}
              now={now}
              list={filter}
              inInbox={inboxQuery !== undefined}
              onOpen={open}
            />
          )}
        </Virtualizer>
        {q === '' ? null : (
          <MessageHits
            bots={managed}
            namesBots={bots.length > 1}
            q={q}
            noChats={query.isSuccess && !query.isPlaceholderData && chats.length === 0}
          />
        )}
        {query.isLoading || q !== '' || inboxQuery ? null : (
          <Unmanaged bots={chosen.filter((bot) => !bot.manage_enabled)} />
        )}
      </div>
    </section>
  );
}

function ListHead(props: {
  bots: Bot[];
  /** The number of chats that moved up since the list stands still. */
  waiting: number;
  filter: InboxFilter;
  topicName: string | undefined;
  choose: ReturnType<typeof useInboxFilter>['choose'];
  children: ReactNode;
}) {
  const { bots, choose, filter, waiting } = props;
  const t = useT();
  return (
    <div className={css.listHead}>
      <div className={css.listTitle}>
        <h1>{t.chats.title}</h1>
        <span className={css.waiting} role="status" title={t.chats.newerHint}>
          {waiting > 0 ? (
            <>
              <Icon name="up" size={13} />
              {t.chats.newer(waiting)}
            </>
          ) : null}
        </span>
      </div>
      <InboxTabs filter={filter} topicName={props.topicName} onChoose={choose} />
      {props.children}
      {bots.length > 1 ? (
        <NativeSelect
          size="sm"
          aria-label={t.chats.bot}
          data={[
            { value: '', label: t.chats.allBots },
            ...bots.map((bot) => ({ value: String(bot.id), label: botName(bot) })),
            // A link may name a bot that is gone.
            ...(filter.bot === undefined || bots.some(({ id }) => id === filter.bot)
              ? []
              : [{ value: String(filter.bot), label: String(filter.bot) }]),
          ]}
          value={String(filter.bot ?? '')}
          onChange={({ currentTarget: { value } }) =>
            choose({ bot: Number(value) || undefined, in_topic: undefined })
          }
        />
      ) : null}
    </div>
  );
}

/** Says why there is nothing to list. */
function NoChats(props: { hasBots: boolean; isEmpty: boolean; inInbox: boolean; isMine: boolean }) {
  const t = useT();
  const mayAdd = useMayAddBots();
  const maySeeBots = useMay('bots', 'read');
  return (
    <>
      {props.hasBots ? null : (
        <EmptyState
          icon="bot"
          title={t.chats.noBots}
          hint={mayAdd ? t.chats.noBotsHint : t.bots.notYours}
        >
          {maySeeBots ? <LinkButton to="/bots">{t.nav.bots}</LinkButton> : null}
        </EmptyState>
      )}
      {props.isEmpty && props.inInbox ? (
        <EmptyState
          icon="check"
          title={props.isMine ? t.inbox.emptyMine : t.inbox.empty}
          hint={props.isMine ? t.inbox.emptyMineHint : t.inbox.emptyHint}
        />
      ) : null}
      {props.isEmpty && !props.inInbox ? (
        <EmptyState icon="chats" title={t.chats.empty} hint={t.chats.emptyHint} />
      ) : null}
    </>
  );
}

/**
 * Keeps the search text in the URL, so that a reload or a copied URL searches for the same. Another
 * text in the URL, or none, from a link, becomes the search text.
 */
function useSearchText() {
  const navigate = useNavigate();
  const known = readChatSearch(useSearch({ strict: false })).q ?? '';
  const [text, setText] = useState(known);
  const [q] = useDebouncedValue(text.trim(), typingMs);
  const seen = useRef(known);
  const written = useRef(known);
  useEffect(() => {
    const isLinked = known !== seen.current && known !== written.current;
    seen.current = known;
    if (isLinked) {
      written.current = known;
      setText(known);
      return;
    }
    if (known === q || written.current === q) return;
    written.current = q;
    void navigate({
      to: '.',
      search: (before: ChatSearch) => ({ ...before, q: q || undefined }),
      replace: true,
      resetScroll: false,
    });
  }, [known, navigate, q]);
  return { q, setText, text };
}

/**
 * Returns the bots to query: those with the latest activity, up to a limit. They change only if the
 * set of bots changes: otherwise each change would reload the list.
 */
function useLatestBots(bots: Bot[]): Bot[] {
  const ids = bots.map((bot) => bot.id).join();
  const latest = useMemo(() => {
    const sorted = bots.toSorted((left, right) =>
      right.last_activity.localeCompare(left.last_activity),
    );
    return new Set(sorted.slice(0, maxBots).map((bot) => bot.id));
    // Other changes of bots are ignored on purpose.
  }, [ids]);
  return bots.filter((bot) => latest.has(bot.id));
}

/** Says why the chats of some bots are not listed, and what to do about it. */
function Unmanaged(props: { bots: Bot[] }) {
  const t = useT();
  const more = props.bots.length - maxUnmanaged;
  if (props.bots.length === 0) return null;
  return (
    <ul className={css.unmanaged}>
      {props.bots.slice(0, maxUnmanaged).map((bot) => (
        <li key={bot.id}>
          <strong>{botName(bot)}</strong>
          <span>{t.people.managementOff}</span>
          <EnableManagement bot={bot} />
        </li>
      ))}
      {more > 0 ? <li>{t.chats.moreUnmanaged(more)}</li> : null}
    </ul>
  );
}
