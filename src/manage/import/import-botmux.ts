import { statSync } from 'node:fs';
import { type Reason, reason, reasonText } from '../../core/reasons/reason.ts';
import { RelayError } from '../../errors.ts';
import { type BotmuxFile, openBotmuxFile } from '../../store/import/botmux-file.ts';
import {
  type BotmuxRow,
  numberOf,
  styleOf,
  textOf,
  toBot,
  toChat,
  toMember,
  toMessage,
  toModel,
  toPair,
  toPerson,
  toRoute,
  toTag,
  toUser,
} from './botmux.ts';
import type { Outcome, Portion } from './import.ts';

/** The service's response to a portion. */
interface Answered {
  id: number;
  outcome: Outcome;
  problem: string;
}
export interface PortionAnswer {
  bots: Answered[];
  users: Answered[];
  routes: Answered[];
  model: Answered | null;
  chats: number;
  people: number;
  members: number;
  messages: number;
  tags: number;
  pairs: number;
}

/** added: new here. known: existed before. skipped: of bots that were not imported, or unusable. */
interface Counts {
  added: number;
  known: number;
  skipped: number;
}

interface Entry {
  botmux_id: number;
  name: string;
  /** The ID here; 0 for none. */
  id: number;
  outcome: Outcome;
  problem: string;
}

export interface BotmuxReport {
  bots: Entry[];
  routes: Entry[];
  /** Added users have no password yet. */
  users: Entry[];
  model: Omit<Entry, 'botmux_id' | 'id'> | null;
  chats: Counts;
  people: Counts;
  members: Counts;
  messages: Counts;
  tags: Counts;
  pairs: Counts;
  /** The number of rows of botmux that this service does not import, by table. */
  not_imported: { bridges: number; api_keys: number; admin_log: number };
}

type Kind = 'chats' | 'people' | 'members' | 'messages' | 'tags' | 'pairs';

const portionRows = 500;
const portionLetters = 1_000_000;

/** Reads a database of botmux and sends it in portions. */
export async function importBotmux(
  path: string,
  send: (portion: Portion) => Promise<PortionAnswer>,
): Promise<BotmuxReport> {
  const file = open(path);
  try {
    return await takeOver(file, send);
  } finally {
    file.close();
  }
}

function open(path: string): BotmuxFile {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) throw new RelayError('not_found', reason('no_file', { path }));
  try {
    return openBotmuxFile(path);
  } catch (error) {
    const cause = (error as Error).message;
    throw new RelayError('invalid_request', reason('not_a_botmux_database', { path, cause }), {
      cause: error,
    });
  }
}

async function takeOver(
  file: BotmuxFile,
  send: (portion: Portion) => Promise<PortionAnswer>,
): Promise<BotmuxReport> {
  const none = (): Counts => ({ added: 0, known: 0, skipped: 0 });
  const report: BotmuxReport = {
    bots: [],
    routes: [],
    users: [],
    model: null,
    chats: none(),
    people: none(),
    members: none(),
    messages: none(),
    tags: none(),
    pairs: none(),
    not_imported: {
      bridges: file.count('bridges'),
      api_keys: file.count('api_keys'),
      admin_log: file.count('admin_log'),
    },
  };

  const model = toModel(file.model());
  if (model) {
    const answer = await orRefused(async () => (await send({ model })).model ?? undefined);
    if (answer) {
      report.model = { name: model.model, outcome: answer.outcome, problem: answer.problem };
    }
  }

  const bots = new Map<number, number>();
  const tokens = new Map<number, string>();
  for (const row of file.bots()) {
    const bot = toBot(row, model?.enabled === true && report.model?.outcome !== 'refused');
    const answer = await orRefused(async () => (await send({ bots: [bot] })).bots[0]);
    const entry = entryOf(row, bot.name, answer);
    report.bots.push(entry);
    if (entry.outcome === 'refused') continue;
    bots.set(entry.botmux_id, entry.id);
    tokens.set(entry.botmux_id, bot.token);
  }

  /** Sends rows in portions; rows that cannot be imported are left out. */
  async function each(
    kind: Kind,
    rows: Iterable<BotmuxRow>,
    convert: (row: BotmuxRow) => object | undefined,
  ): Promise<void> {
    const counts = report[kind];
    let portion: object[] = [];
    let letters = 0;
    /**
     * Sends a portion. If the service refuses it, halves are tried until the refused row is found
     * and left out.
     */
    const put = async (converted: object[]): Promise<void> => {
      try {
        const added = (await send({ [kind]: converted }))[kind];
        counts.added += added;
        counts.known += converted.length - added;
      } catch (error) {
        if (!isRefusal(error)) throw error;
        if (converted.length === 1) {
          counts.skipped++;
          return;
        }
        const middle = Math.ceil(converted.length / 2);
        await put(converted.slice(0, middle));
        await put(converted.slice(middle));
      }
    };
    const flush = async () => {
      if (portion.length > 0) await put(portion);
      portion = [];
      letters = 0;
    };
    for (const row of rows) {
      const converted = convert(row);
      if (!converted) {
        counts.skipped++;
        continue;
      }
      portion.push(converted);
      for (const value of Object.values(converted)) letters += textOf(value).length;
      if (portion.length >= portionRows || letters >= portionLetters) await flush();
    }
    await flush();
  }

  const ofBot =
    <Row>(convert: (row: BotmuxRow, botId: number) => Row | undefined) =>
    (row: BotmuxRow) => {
      const botId = bots.get(numberOf(row['bot_id']));
      return botId === undefined ? undefined : convert(row, botId);
    };

  const names = new Map<number, string>();
  await each('chats', file.chats(), (row) => {
    if (row['type'] === 'private') names.set(numberOf(row['id']), textOf(row['title']));
    return ofBot(toChat)(row);
  });
  const botSenders = new Set(file.botSenders().map((row) => numberOf(row['from_id'])));
  await each('people', file.people(), (row) => toPerson(row, { names, bots: botSenders }));
  await each('members', file.knownUsers(), ofBot(toMember));
  await each(
    'messages',
    file.messages(),
    ofBot((row, botId) => toMessage(row, botId, tokens.get(numberOf(row['bot_id'])) ?? '')),
  );
  await each('tags', file.tags(), (row) => {
    const holders = textOf(row['bots']).split(',').map(Number);
    return holders.some((id) => bots.has(id)) ? toTag(row) : undefined;
  });

  const routes = new Map<number, { id: number; style: 'forward' | 'copy' }>();
  for (const row of file.routes()) {
    const route = toRoute(row, bots);
    const answer =
      'code' in route
        ? refusedFor(route)
        : await orRefused(async () => (await send({ routes: [route] })).routes[0]);
    const entry = entryOf(row, textOf(row['description']), answer);
    report.routes.push(entry);
    routes.set(entry.botmux_id, { id: entry.id, style: styleOf(row) });
  }
  await each('pairs', file.mappings(), (row) =>
    toPair(row, bots, routes.get(numberOf(row['route_id'])) ?? { id: 0, style: 'copy' }),
  );

  const assigned = Map.groupBy(file.userBots(), (row) => numberOf(row['user_id']));
  for (const row of file.users()) {
    const theirs = (assigned.get(numberOf(row['id'])) ?? []).flatMap(
      (pair) => bots.get(numberOf(pair['bot_id'])) ?? [],
    );
    const user = toUser(row, theirs);
    const answer = await orRefused(async () => (await send({ users: [user] })).users[0]);
    report.users.push(entryOf(row, user.username, answer));
  }

  const enable = [...bots.values()].filter((id) => id !== 0);
  if (enable.length > 0) await send({ enable });
  return report;
}

function entryOf(row: BotmuxRow, name: string, answer: Answered | undefined): Entry {
  const { id = 0, outcome = 'refused', problem = '' } = answer ?? {};
  return { botmux_id: numberOf(row['id']), name, id, outcome, problem };
}

/** A refusal by the service ends only the import of that entry. */
async function orRefused(work: () => Promise<Answered | undefined>): Promise<Answered | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return refusedFor(error.reason);
  }
}

const isRefusal = (error: unknown): error is RelayError =>
  error instanceof RelayError && error.code === 'invalid_request';

const refusedFor = (problem: Reason): Answered => ({
  id: 0,
  outcome: 'refused',
  problem: reasonText(problem),
});
