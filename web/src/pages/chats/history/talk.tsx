import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState } from 'react';
import { chatQuery, conversationTopic, topicKey } from '../../../api/chats.ts';
import type { Bot, Message } from '../../../api/client/types.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { lazyPart } from '../../../ui/feedback/lazy-dialog.tsx';
import { toast } from '../../../ui/feedback/toast.tsx';
import css from '../chats.module.css';
import { Composer } from '../composer/composer.tsx';
import { History } from './history.tsx';
import { accountsIn, speakerName } from './history-items.ts';
import { EnableManagement } from '../admin/management-off.tsx';
import { TopicBar } from '../topics/topic-bar.tsx';
import { TalkHead } from './talk-head.tsx';
import { TalkSearch } from './talk-search.tsx';
import { useHistory } from './use-history.ts';
import { useWriting } from './use-writing.ts';
import { BackendDown } from '../inbox/backend-down.tsx';
import { useMarkRead } from '../inbox/use-mark-read.ts';
import { OthersWriting } from '../inbox/writing.tsx';
import { RowsSkeleton } from '../../../ui/page-skeleton.tsx';
import { useSide } from '../use-side.ts';

const ChatPanel = lazyPart(async () => (await import('../chat-panel.tsx')).ChatPanel);
const PersonPanel = lazyPart(async () => (await import('../person/person-panel.tsx')).PersonPanel);
const ThreadPanel = lazyPart(async () => (await import('./thread-panel.tsx')).ThreadPanel);
const MediaViewer = lazyPart(async () => (await import('./media-viewer.tsx')).MediaViewer);
const TopicList = lazyPart(
  async () => (await import('../topics/topic-list.tsx')).TopicList,
  <RowsSkeleton rows={5} />,
);
const TimelinePanel = lazyPart(async () => (await import('./timeline-panel.tsx')).TimelinePanel);

export function Talk(props: {
  bot: Bot;
  chatId: number;
  /** The open topic; 0 for all, undefined if none was chosen. */
  topic: number | undefined;
  anchor: number | undefined;
}) {
  const { bot, chatId, topic } = props;
  const anchor = bot.manage_enabled ? props.anchor : undefined;
  const t = useT();
  const navigate = useNavigate();
  const conversation = conversationTopic(bot, chatId, topic);
  const query = chatQuery(bot.id, chatId, conversation);
  const known = useQuery({ ...query, enabled: bot.manage_enabled }).data;
  const history = useHistory(bot.id, chatId, anchor, topic);
  const listsTopics = known?.has_topics === true && topic === undefined && anchor === undefined;
  const [visit, setVisit] = useState(0);
  const side = useSide();
  const focusRef = useFocusFromList();
  const [viewed, setViewed] = useState<Message>();
  const [searching, setSearching] = useState(false);
  const isPrivate = chatId > 0;
  const other = history.messages.findLast((message) => message.user_id === chatId);
  const accounts = useMemo(() => accountsIn(history.messages), [history.messages]);
  const latest = history.messages.findLast((message) => message.media_type !== 'callback');
  const title = known?.title || (isPrivate && other ? speakerName(other) : '') || String(chatId);
  const writing = useWriting(history);
  useMarkRead(known);

  function goTo(messageId: number | undefined): void {
    if (messageId !== undefined && !bot.manage_enabled) {
      toast(t.people.managementOff, { tone: 'bad' });
      return;
    }
    // The URL already starts at this message and the user has scrolled away, so start there again.
    if (messageId === anchor) setVisit((count) => count + 1);
    const { about, thread, timeline } = side;
    // If the side panel covers the messages, it closes to show the message.
    const panelParams = {
      ...(topic === undefined ? {} : { topic }),
      ...(about && isWide() ? { about } : {}),
      ...(thread && isWide() ? { thread } : {}),
      ...(timeline && isWide() ? { timeline } : {}),
    };
    void navigate({
      to: '/chats/$botId/$chatId',
      params: { botId: String(bot.id), chatId: String(chatId) },
      search: messageId === undefined ? panelParams : { ...panelParams, message: messageId },
    });
  }
  return (
    <>
      <div className={css.talk} ref={focusRef}>
        <TalkHead
          bot={bot}
          chatId={chatId}
          topic={topic}
          title={title}
          known={known}
          person={isPrivate ? other?.user_id : undefined}
          side={side}
          searching={searching}
          onSearch={setSearching}
        />
        {bot.manage_enabled ? null : (
          <div className={css.notice}>
            <span>{t.people.managementOff}</span>
            <EnableManagement bot={bot} />
          </div>
        )}
        <BackendDown bot={bot} />
        {topic === undefined ? null : <TopicBar bot={bot} chatId={chatId} topic={topic} />}
        {searching ? (
          <TalkSearch
            botId={bot.id}
            chatId={chatId}
            topic={topic}
            onClose={() => setSearching(false)}
          />
        ) : listsTopics ? (
          <TopicList bot={bot} chatId={chatId} title={title} />
        ) : (
          <History
            key={`from-${anchor ?? 'end'}-${visit}`}
            bot={bot}
            chatKey={{ bot_id: bot.id, chat_id: chatId }}
            title={title}
            history={history}
            anchor={anchor}
            sent={writing.sent}
            sending={writing.sending}
            actions={{
              onReply: writing.reply,
              onEdit: writing.edit,
              onPerson: (message) => side.show({ about: message.user_id }),
              onView: setViewed,
              onTrace: (message) => side.show({ timeline: message.id }),
              onChanged: history.replace,
            }}
            onFar={goTo}
          />
        )}
        <OthersWriting {...topicKey(bot.id, chatId, conversation)} />
        {listsTopics ? null : (
          <Composer
            key={`edit-${writing.editing?.id ?? 'none'}`}
            bot={bot}
            chatId={chatId}
            title={title}
            person={isPrivate ? other : undefined}
            topic={topic ?? 0}
            replyTo={writing.replyTo}
            editing={writing.editing}
            accounts={accounts}
            latestTarget={latest?.business_connection_id ?? ''}
            onSending={writing.onSending}
            onSent={writing.onSent}
            onEdited={writing.onEdited}
            onCancel={writing.cancel}
          />
        )}
      </div>
      <Side
        bot={bot}
        chatId={chatId}
        title={title}
        messages={history.messages}
        side={side}
        onGo={goTo}
      />
      {viewed ? (
        <MediaViewer
          messages={history.messages}
          start={viewed}
          onClose={() => setViewed(undefined)}
        />
      ) : null}
    </>
  );
}

function Side(props: {
  bot: Bot;
  chatId: number;
  title: string;
  messages: Message[];
  side: ReturnType<typeof useSide>;
  onGo: (messageId: number) => void;
}) {
  const { bot, chatId, side } = props;
  const { about, thread, timeline } = side;
  const close = () => side.show({});
  if (thread !== undefined) {
    return (
      <ThreadPanel
        key={`thread-${thread}`}
        chatKey={{ bot_id: bot.id, chat_id: chatId }}
        messageId={thread}
        onGo={props.onGo}
        onClose={close}
      />
    );
  }
  if (timeline !== undefined && bot.manage_enabled) {
    return (
      <TimelinePanel
        key={`timeline-${timeline}`}
        bot={bot}
        chatId={chatId}
        messageId={timeline}
        onClose={close}
      />
    );
  }
  if (about === 'chat') {
    return (
      <ChatPanel bot={bot} chatId={chatId} title={props.title} onGo={props.onGo} onClose={close} />
    );
  }
  if (about === undefined) return null;
  return (
    <PersonPanel
      key={about}
      bot={bot}
      chatId={chatId}
      userId={about}
      known={props.messages.findLast((message) => message.user_id === about)}
      onClose={close}
    />
  );
}

/**
 * Moves the focus after a chat is opened from the list: to the composer, or on a touch screen to
 * the chat's name, because its keyboard would cover the messages.
 */
function useFocusFromList() {
  const focusRef = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const isFromList = document.activeElement?.closest('[data-chat-list]');
    if (!isFromList) return;
    const field = focusRef.current?.querySelector<HTMLElement>('form textarea');
    const target = window.matchMedia('(hover: hover)').matches ? field : undefined;
    (target ?? focusRef.current?.querySelector<HTMLElement>('h2'))?.focus();
  }, []);
  return focusRef;
}

/** Returns true if the side panel fits beside the messages. */
function isWide(): boolean {
  return window.matchMedia('(min-width: 1101px)').matches;
}
