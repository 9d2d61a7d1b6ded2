/*
 * Fills and queries the search index of messages.
 *
 * Invariant: every message of a managed bot is in the index in its present form, or in
 * search_queue, or ahead of its bot's mark in search_backfills; message-projections.ts and the
 * triggers of the schema ensure that. The index itself follows a moment later, in portions, because
 * making grams costs several times as much as storing a message.
 */
import { botGram, chatGram, gramsOfMessage } from '../../core/search/search-grams.ts';
import { type BackgroundWork, writeFor } from '../background-work.ts';
import { type DialectName, type Engine, raw, type Step } from '../engine.ts';
import { binaryArray, binaryArrays } from '../sql/binary-array.ts';
import { wordsOf } from '../sql/dialect.ts';
import { insertSearchQueue } from './message-projections.ts';
import { type MessageRow, messageColumns } from './messages.ts';

export interface SearchFilter {
  botId: number;
  /** A message must contain all of them. */
  grams: readonly number[];
  /** The chats to search; undefined for any. */
  chatIds: readonly number[] | undefined;
  /** Unix seconds, both inclusive. */
  from?: number | undefined;
  to?: number | undefined;
  limit: number;
  /** The end of the last page. */
  after?: SearchCursor | undefined;
}

/**
 * A cursor in the order of results: the number of the row on SQLite; date, chat and ID on
 * PostgreSQL.
 */
export type SearchCursor = readonly number[];

export interface SearchHit {
  row: MessageRow;
  cursor: SearchCursor;
}

export interface MessageSearchRepository {
  /** Returns candidates, newest first; the caller reads them to be sure. */
  find(filter: SearchFilter): Promise<SearchHit[]>;
  /** Indexes at most this many messages that wait; `more` if others may wait. */
  index(messages?: number): Promise<'more' | 'done'>;
  /** Indexes as much as storing has time for in between. */
  indexInBackground(work: BackgroundWork): Promise<'more' | 'done'>;
  /** Returns about how many messages wait; 0 only if none does. */
  backlog(): Promise<number>;
}

interface Waiting {
  bot_id: number;
  chat_id: number;
  message_id: number;
}

interface Indexable {
  doc?: number;
  bot_id: number;
  chat_id: number;
  id: number;
  user_id: number;
  date: number;
  media_type: string | null;
  text: string;
}

/** How much to index at once: at most so many messages, with at most so many characters. */
interface Portion {
  messages: number;
  characters: number;
}

/**
 * On SQLite a portion takes a few milliseconds of the writer. On PostgreSQL a round trip is shared by
 * more messages, and only their grams hold the event loop.
 */
const portions: Record<DialectName, Portion> = {
  sqlite: { messages: 60, characters: 4_000 },
  postgres: { messages: 300, characters: 40_000 },
};

/**
 * SQLite: the pages that a portion merges, each some times as many as it writes. FTS5 would merge by
 * itself every 64 pages, but then 256 pages at once, for which all others wait.
 */
const leastMerged = 16;

export function createMessageSearchRepository(engine: Engine): MessageSearchRepository {
  const onSqlite = engine.dialect === 'sqlite';
  const { lock } = wordsOf[engine.dialect];
  const indexed = `${onSqlite ? 'm.doc, ' : ''}m.bot_id, m.chat_id, m.id, m.user_id,
    m.date, m.media_type, m.text`;

  function* index(portion: Portion): Step<'more' | 'done'> {
    const waiting = yield* takeWaiting(portion);
    if (waiting.count > 0) yield* write(waiting.messages);
    const left = {
      messages: portion.messages - waiting.count,
      characters: portion.characters - charactersOf(waiting.messages),
    };
    if (waiting.isMore || left.messages === 0) return 'more';
    const [backfill] = yield* raw<Waiting>(
      `select bot_id, chat_id, message_id from search_backfills order by bot_id limit 1
       ${lock('for update skip locked')}`,
    );
    if (!backfill) return 'done';
    yield* fill(backfill, left);
    return 'more';
  }

  function* takeWaiting(
    portion: Portion,
  ): Step<{ count: number; messages: Indexable[]; isMore: boolean }> {
    if (onSqlite) {
      const waiting = yield* raw<Indexable & { queue_id: number }>(
        `select q.id as queue_id, ${indexed} from search_queue q left join messages m
         on m.bot_id = q.bot_id and m.chat_id = q.chat_id and m.id = q.message_id
         order by q.id limit $1`,
        [portion.messages],
      );
      const rows = within(portion, waiting);
      const last = rows.at(-1);
      if (last) yield* raw('delete from search_queue where id <= $1', [last.queue_id]);
      return {
        count: rows.length,
        messages: rows.filter((row) => row.bot_id !== null),
        isMore: rows.length < waiting.length,
      };
    }
    const taken = yield* raw<Waiting>(
      `delete from search_queue where id in (
         select id from search_queue order by id limit $1 for update skip locked
       ) returning bot_id, chat_id, message_id`,
      [portion.messages],
    );
    if (taken.length === 0) return { count: 0, messages: [], isMore: false };
    // The messages are locked, so that none is removed before its grams refer to it.
    const stored = yield* raw<Indexable>(
      `select ${indexed} from messages m where (m.bot_id, m.chat_id, m.id) in (
         select * from unnest($1::bigint[], $2::bigint[], $3::bigint[])
       ) order by m.bot_id, m.chat_id, m.id for key share`,
      binaryArrays({ bot_id: 'bigint', chat_id: 'bigint', message_id: 'bigint' }, taken),
    );
    const messages = within(portion, stored);
    const left = stored.slice(messages.length);
    yield* insertSearchQueue(
      'postgres',
      left.map(({ bot_id, chat_id, id }) => ({ bot_id, chat_id, message_id: id })),
    );
    return { count: taken.length - left.length, messages, isMore: left.length > 0 };
  }

  function* fill(mark: Waiting, portion: Portion): Step<void> {
    const stored = yield* raw<Indexable>(
      `select ${indexed} from messages m
       where m.bot_id = $1 and (m.chat_id, m.id) > ($2, $3)
       order by m.chat_id, m.id limit $4 ${lock('for key share')}`,
      [mark.bot_id, mark.chat_id, mark.message_id, portion.messages],
    );
    const messages = within(portion, stored);
    yield* write(messages);
    const last = messages.at(-1);
    if (last && (messages.length < stored.length || stored.length === portion.messages)) {
      yield* raw('update search_backfills set chat_id = $2, message_id = $3 where bot_id = $1', [
        mark.bot_id,
        last.chat_id,
        last.id,
      ]);
    } else yield* raw('delete from search_backfills where bot_id = $1', [mark.bot_id]);
  }

  function* write(messages: readonly Indexable[]): Step<void> {
    if (onSqlite) {
      for (const message of messages) {
        yield* raw('insert or replace into message_search (rowid, grams) values ($1, $2)', [
          message.doc,
          gramsOf(message).map(asWord).join(' '),
        ]);
      }
      const pages = Math.max(leastMerged, Math.ceil(messages.length / 4));
      yield* raw(`insert into message_search (message_search, rank) values ('merge', $1)`, [pages]);
      return;
    }
    if (messages.length === 0) return;
    yield* raw(
      `insert into message_search (bot_id, chat_id, message_id, date, grams)
       select b, c, m, d, g::integer[] from unnest(
         $1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[]) as t (b, c, m, d, g)
       on conflict (bot_id, chat_id, message_id) do update set grams = excluded.grams`,
      [
        ...binaryArrays(
          { bot_id: 'bigint', chat_id: 'bigint', id: 'bigint', date: 'bigint' },
          messages,
        ),
        binaryArray(
          'text',
          messages.map((one) => `{${gramsOf(one).join(',')}}`),
        ),
      ],
    );
  }

  return {
    find: (filter) => (onSqlite ? findOnSqlite(engine, filter) : findOnPostgres(engine, filter)),
    index: (messages = 300) =>
      engine.write(() => index({ messages, characters: Number.POSITIVE_INFINITY })),
    indexInBackground: (work) => writeFor(engine, work, () => index(portions[engine.dialect])),
    async backlog() {
      const [row] = await engine.readRaw<{ first: number | null; last: number; marks: number }>(
        `select (select min(id) from search_queue) as first,
           (select max(id) from search_queue) as last,
           (select count(*) from search_backfills) as marks`,
        [],
      );
      if (!row) return 0;
      return row.marks + (row.first === null ? 0 : row.last - row.first + 1);
    },
  };
}

/** Returns the first of these messages, as many as the portion has room for, and at least one. */
function within<Row extends Indexable>(portion: Portion, messages: Row[]): Row[] {
  let characters = 0;
  const end = messages.findIndex(({ text }, index) => {
    // The text of a deleted message is null.
    characters += text?.length ?? 0;
    return index > 0 && characters > portion.characters;
  });
  return end < 0 ? messages : messages.slice(0, end);
}

function charactersOf(messages: readonly Indexable[]): number {
  return messages.reduce((sum, { text }) => sum + text.length, 0);
}

function gramsOf({ bot_id, chat_id, user_id, media_type, text }: Indexable): number[] {
  return gramsOfMessage(text, {
    botId: bot_id,
    chatId: chat_id,
    userId: user_id,
    mediaType: media_type,
  });
}

/** The words of grams that were asked for last: writing a number costs more than finding its word. */
const wordSlots = 8_192;
const wordsOfGrams: (string | undefined)[] = Array.from({ length: wordSlots });
const gramsOfWords = new Int32Array(wordSlots);

/** Returns letters and digits only, which every tokenizer treats as one word. */
function asWord(gram: number): string {
  const slot = gram & (wordSlots - 1);
  const known = wordsOfGrams[slot];
  if (known !== undefined && gramsOfWords[slot] === gram) return known;
  const word = `g${(gram >>> 0).toString(36)}`;
  gramsOfWords[slot] = gram;
  wordsOfGrams[slot] = word;
  return word;
}

async function findOnSqlite(engine: Engine, filter: SearchFilter): Promise<SearchHit[]> {
  const { chatIds, after, from, to } = filter;
  const inChats = chatIds?.map((chatId) => asWord(chatGram(chatId))).join(' OR ');
  // FTS5 steps through the first word and lets the others follow, so rare words come first.
  const match = [
    ...(inChats === undefined ? [] : [`(${inChats})`]),
    ...[...filter.grams, botGram(filter.botId)].map(asWord),
  ];
  const rows = await engine.readHeavy<MessageRow & { doc: number }>(
    `select s.rowid as doc, ${messageColumns('m')}
     from message_search s cross join messages m on m.doc = s.rowid
     where s.message_search match $1 and s.rowid < $2 and m.bot_id = $3
       and m.date >= $4 and m.date <= $5
     order by s.rowid desc limit $6`,
    [
      match.join(' AND '),
      after?.[0] ?? Number.MAX_SAFE_INTEGER,
      filter.botId,
      from ?? 0,
      to ?? Number.MAX_SAFE_INTEGER,
      filter.limit,
    ],
  );
  return rows.map(({ doc, ...row }) => ({ row, cursor: [doc] }));
}

/*
 * There are two ways, because no single plan serves common and rare words alike. A page of a common
 * word is found by walking through the newest messages; a rare word is looked up by its grams, and
 * the results are sorted. The first steps of the walk decide which way to take, and how far to
 * walk.
 */
const firstSteps = 1_500;
const rareBelow = 6;
const maxSteps = 20_000;
/** The lengths are few and fixed, so that there are few statements to prepare. */
const steps = [3_000, 6_000, 12_000, maxSteps];

async function findOnPostgres(engine: Engine, filter: SearchFilter): Promise<SearchHit[]> {
  const found = await Promise.all(
    (filter.chatIds ?? [undefined]).map((chatId) => findInChat(engine, filter, chatId)),
  );
  return found
    .flat()
    .sort((a, b) => b.date - a.date || b.chat_id - a.chat_id || b.id - a.id)
    .slice(0, filter.limit)
    .map((row) => ({ row, cursor: [row.date, row.chat_id, row.id] }));
}

async function findInChat(
  engine: Engine,
  { botId, grams, after, from, to, limit }: SearchFilter,
  chatId: number | undefined,
): Promise<MessageRow[]> {
  const far = Number.MAX_SAFE_INTEGER;
  const inChat = chatId !== undefined;
  const parameters = [
    botId,
    inChat ? [chatGram(chatId), ...grams] : grams,
    ...(after ?? [far, far, far]),
    from ?? 0,
    to ?? far,
    limit,
    ...(inChat ? [chatId] : []),
  ];
  const inRange = `bot_id = $1 ${inChat ? 'and chat_id = $9' : ''}
    and (date, chat_id, message_id) < ($3, $4, $5) and date >= $6 and date <= $7`;
  const fits = 'grams @> $2::integer[]';
  const newestFirst = inChat
    ? 'order by date desc, message_id desc'
    : 'order by date desc, chat_id desc, message_id desc';
  const read = (found: string): Promise<MessageRow[]> =>
    engine.readHeavy(
      `with found as materialized (${found})
       select ${messageColumns('m')} from found f join messages m
         on m.bot_id = f.bot_id and m.chat_id = f.chat_id and m.id = f.message_id`,
      parameters,
    );
  const walk = (most: number) =>
    read(`select bot_id, chat_id, message_id, date from (
        select * from message_search where ${inRange} ${newestFirst} limit ${most}
      ) newest where ${fits} ${newestFirst} limit $8`);

  const begun = await walk(firstSteps);
  if (begun.length >= limit) return begun;
  if (begun.length >= rareBelow) {
    const likely = (1.3 * limit * firstSteps) / begun.length;
    const walked = await walk(steps.find((count) => count >= likely) ?? maxSteps);
    if (walked.length >= limit) return walked;
  }
  // Only the grams decide here: a plan that does not know how rare they are would also read the
  // whole index of dates, which takes longer than all the rest.
  return read(`select bot_id, chat_id, message_id, date from (
      select bot_id, chat_id, message_id, date from message_search where ${fits} offset 0
    ) fitting where ${inRange} ${newestFirst} limit $8`);
}
