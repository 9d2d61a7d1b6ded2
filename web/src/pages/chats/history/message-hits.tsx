import { Button } from '@mantine/core';
import { useInfiniteQuery, useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { TopicKey } from '../../../api/chats.ts';
import { type Found, hitsPerBot, searchMessages, withoutCopies } from '../../../api/messages.ts';
import { botName } from '../../../api/bots.ts';
import type { Bot } from '../../../api/client/types.ts';
import { markKey } from '../../../api/timeline.ts';
import { useFormat } from '../../../i18n/use-format.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { ErrorBox } from '../../../shared/error-box.tsx';
import { RowsSkeleton } from '../../../ui/page-skeleton.tsx';
import { speakerName } from './history-items.ts';
import { HitMark } from './message-mark.tsx';
import { MarksProvider } from './use-marks.tsx';
import css from '../search.module.css';

const fewest = 2;

/** Lists matching messages of any chat, below the matching chats. */
export function MessageHits(props: {
  bots: Bot[];
  /** True if a hit must show which bot it belongs to. */
  namesBots: boolean;
  q: string;
  /** True if no chat matches. */
  noChats: boolean;
}) {
  const { q } = props;
  const t = useT();
  const asked = q.length >= fewest;
  const answers = useQueries({
    queries: props.bots.map((bot) => ({
      queryKey: ['search', bot.id, q],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        searchMessages({ bot_id: bot.id, q, limit: hitsPerBot }, signal),
      enabled: asked,
    })),
  });
  const found = withoutCopies(answers.flatMap((answer) => answer.data?.messages ?? []));
  const failed = answers.filter((answer) => answer.isError);
  const names = new Map(props.bots.map((bot) => [bot.id, botName(bot)]));
  if (!asked || (found.length === 0 && failed.length === 0)) {
    const isKnown = props.noChats && !(asked && answers.some((answer) => answer.isPending));
    if (!isKnown) return null;
    return <p className={css.note}>{asked ? t.chats.noneMatch : t.chats.noMatch}</p>;
  }
  return (
    <section aria-label={t.chats.inMessages}>
      <h2 className={css.title}>{t.chats.inMessages}</h2>
      {failed[0] ? (
        <ErrorBox
          error={failed[0].error}
          onRetry={() => {
            for (const answer of failed) void answer.refetch();
          }}
        />
      ) : null}
      <ul className={css.hits}>
        <MarksProvider enabled>
          {found.map((hit) => (
            <Hit
              key={markKey(hit)}
              hit={hit}
              chat={hit.chat_title || String(hit.chat_id)}
              bot={props.namesBots ? names.get(hit.bot_id) : undefined}
            />
          ))}
        </MarksProvider>
      </ul>
    </section>
  );
}

/** Lists all matching messages of a chat or topic; a click shows one in the history. */
export function ChatHits(props: { chatKey: TopicKey; q: string; onGo: () => void }) {
  const { chatKey, q } = props;
  const t = useT();
  const query = useInfiniteQuery({
    queryKey: ['search', chatKey, q],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) =>
      searchMessages({ ...chatKey, q, cursor: pageParam }, signal),
    getNextPageParam: ({ next }) => next || undefined,
    enabled: q.length >= fewest,
  });
  const found = query.data?.pages.flatMap((page) => page.messages) ?? [];
  return (
    <div className={css.results} aria-live="polite">
      {query.isLoading ? <RowsSkeleton rows={4} /> : null}
      {query.isError ? <ErrorBox error={query.error} /> : null}
      {q.length < fewest ? <p className={css.note}>{t.chats.searchHint}</p> : null}
      {query.isSuccess && found.length === 0 ? (
        <p className={css.note}>{t.chats.nothingFound(q)}</p>
      ) : null}
      <ul className={css.hits}>
        <MarksProvider botId={chatKey.bot_id} enabled>
          {found.map((hit) => (
            <Hit key={hit.id} hit={hit} onGo={props.onGo} />
          ))}
        </MarksProvider>
      </ul>
      {query.hasNextPage ? (
        <Button
          m="md"
          variant="default"
          loading={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          {t.common.loadMore}
        </Button>
      ) : null}
    </div>
  );
}

function Hit(props: {
  hit: Found;
  /** The name of the chat, if hits of several chats are listed. */
  chat?: string;
  bot?: string | undefined;
  onGo?: () => void;
}) {
  const { bot, chat, hit } = props;
  const t = useT();
  const format = useFormat();
  const at = hit.date * 1_000;
  const speaker = speakerName(hit) || t.chats.unknownPerson;
  const isToday = new Date(at).toDateString() === new Date().toDateString();
  return (
    <li className={css.found}>
      <Link
        to="/chats/$botId/$chatId"
        params={{ botId: String(hit.bot_id), chatId: String(hit.chat_id) }}
        search={{
          message: hit.id,
          ...(hit.message_thread_id ? { topic: hit.message_thread_id } : {}),
        }}
        className={css.hit}
        preload={false}
        onClick={() => props.onGo?.()}
      >
        <span className={css.hitHead}>
          <strong dir="auto">{chat ?? speaker}</strong>
          <time title={format.dateTime(at)}>{isToday ? format.time(at) : format.shortDay(at)}</time>
        </span>
        <span className={css.snippet}>
          {chat === undefined || chat === speaker ? null : <bdi>{speaker}: </bdi>}
          {marked(hit.snippet)}
        </span>
        {bot === undefined ? null : (
          <span className={css.hitBot}>
            <bdi>{bot}</bdi>
            {hit.origin === 'routed' ? ` · ${t.chats.routed}` : ''}
          </span>
        )}
      </Link>
      <HitMark hit={hit} onGo={props.onGo} />
    </li>
  );
}

function marked({ highlights, text }: Found['snippet']): ReactNode[] {
  const parts: ReactNode[] = [];
  let end = 0;
  for (const { length, offset } of highlights) {
    parts.push(text.slice(end, offset));
    parts.push(<mark key={offset}>{text.slice(offset, offset + length)}</mark>);
    end = offset + length;
  }
  parts.push(text.slice(end));
  return parts;
}
