import { type Engine, raw } from '../engine.ts';
import { wordsOf } from '../sql/dialect.ts';
import { grains } from '../stats/stats-calendar.ts';

/** What is known about a person in a chat. */
export interface MemberRecord {
  bot_id: number;
  chat_id: number;
  user_id: number;
  status: string;
  until_at: number;
  title: string;
  rights: string;
  updated_at: number;
}

export interface ListedPerson {
  user_id: number;
  username: string;
  first_name: string;
  last_name: string;
  is_bot: number;
  language_code: string;
  seen_at: number;
  /** '' if the platform never reported it; filled only for one chat. */
  status: string;
  until_at: number;
  messages: number;
}

export interface PeopleFilter {
  botId: number;
  /** 0 for everyone the bot has met. */
  chatId: number;
  query: string;
  afterUserId: number;
  limit: number;
}

export interface NameRecord {
  username: string;
  first_name: string;
  last_name: string;
  seen_at: number;
}

export interface MemberRepository {
  get(botId: number, chatId: number, userId: number): Promise<MemberRecord | undefined>;
  ofUser(botId: number, userId: number): Promise<MemberRecord[]>;
  save(members: readonly Omit<MemberRecord, 'updated_at'>[], nowMs: number): Promise<void>;
  /** Lists people by user ID: those who wrote, and those who were seen to join or leave. */
  list(filter: PeopleFilter): Promise<ListedPerson[]>;
  /** Lists the names that a person had, newest first. */
  namesOf(userId: number): Promise<NameRecord[]>;
}

const maxNames = 100;

export function createMemberRepository(engine: Engine): MemberRepository {
  return {
    async get(botId, chatId, userId) {
      const [member] = await engine.readRaw<MemberRecord>(
        'select * from members where bot_id = $1 and chat_id = $2 and user_id = $3',
        [botId, chatId, userId],
      );
      return member;
    },
    ofUser: (botId, userId) =>
      engine.readRaw('select * from members where bot_id = $1 and user_id = $2 order by chat_id', [
        botId,
        userId,
      ]),
    async save(members, nowMs) {
      await engine.write(function* () {
        for (const { bot_id, chat_id, user_id, status, until_at, title, rights } of members) {
          yield* raw(
            `insert into members
               (bot_id, chat_id, user_id, status, until_at, title, rights, updated_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8)
             on conflict (bot_id, chat_id, user_id) do update set status = excluded.status,
               until_at = excluded.until_at, title = excluded.title, rights = excluded.rights,
               updated_at = excluded.updated_at`,
            [bot_id, chat_id, user_id, status, until_at, title, rights, nowMs],
          );
        }
      });
    },
    list: (filter) => list(engine, filter),
    namesOf: (userId) =>
      engine.readRaw(
        `select username, first_name, last_name, seen_at from people_names
         where user_id = $1 order by id desc limit ${maxNames}`,
        [userId],
      ),
  };
}

function list(engine: Engine, filter: PeopleFilter): Promise<ListedPerson[]> {
  const { botId, chatId, query, afterUserId, limit } = filter;
  const parameters: unknown[] = [botId, chatId, afterUserId, limit];
  // Without a search both sides stop after a page; a search may have to look at everyone.
  const page = query === '' ? 'order by user_id limit $4' : '';
  const ofChat = chatId === 0 ? '' : 'and chat_id = $2';
  const matches = query === '' ? '' : `where ${matching(engine, query, parameters)}`;
  return engine.readHeavy<ListedPerson>(
    `with found as (
       select user_id from (
         select user_id from stats_people where bot_id = $1 and chat_id = $2
           and grain = ${grains.total} and bucket = 0 and user_id > $3 ${page}
       ) as wrote
       union
       select user_id from (
         select distinct user_id from members
         where bot_id = $1 ${ofChat} and user_id > $3 ${page}
       ) as known
     )
     select p.user_id, p.username, p.first_name, p.last_name, p.is_bot, p.language_code, p.seen_at,
       coalesce(m.status, '') as status, coalesce(m.until_at, 0) as until_at,
       coalesce(s.messages, 0) as messages
     from found f join people p on p.user_id = f.user_id
     left join members m on m.bot_id = $1 and m.chat_id = $2 and m.user_id = f.user_id
     left join stats_people s on s.bot_id = $1 and s.chat_id = $2 and s.grain = ${grains.total}
       and s.bucket = 0 and s.user_id = f.user_id
     ${matches} order by p.user_id limit $4`,
    parameters,
  );
}

/** SQLite folds only Latin letters, so other scripts are searched in each usual spelling. */
function matching(engine: Engine, query: string, parameters: unknown[]): string {
  const { like } = wordsOf[engine.dialect];
  const lower = query.toLowerCase();
  const title = lower.replace(/(^|\s)\S/g, (letter) => letter.toUpperCase());
  const words = [...new Set([query, lower, query.toUpperCase(), title])];
  const conditions = words.map((word) => {
    const at = parameters.push(`%${word.replace(/[\\%_]/g, String.raw`\$&`)}%`);
    const name = "p.first_name || ' ' || p.last_name || ' ' || p.username";
    return `(${name}) ${like} $${at} escape '\\'`;
  });
  if (/^\d{1,15}$/.test(query)) conditions.push(`p.user_id = $${parameters.push(Number(query))}`);
  return `(${conditions.join(' or ')})`;
}
