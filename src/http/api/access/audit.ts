import { Readable } from 'node:stream';
import { type Static, Type } from 'typebox';
import { csvLine } from '../../../core/csv.ts';
import type { AuditLog, AuditQuery } from '../../../manage/access/audit.ts';
import { type Endpoint, type Listed, get } from '../../endpoint.ts';
import { isoTime } from '../../../core/iso-time.ts';
import { Id, Integer, Moment, Optional, Query, Text } from '../../schemas.ts';

const actorKinds = ['key', 'user', 'local'] as const;
const filter = {
  bot_id: Optional.Id('Only entries of this bot.'),
  actor_kind: Optional.Choice(actorKinds, {
    description: 'Only entries by keys, users or the CLI.',
  }),
  actor_id: Optional.Id('Only entries by the key or user with this ID.'),
  action: Optional.Text('Only this action, or all actions of a group.', 'bots', {
    maxLength: 64,
    pattern: '^[a-z0-9.-]*$',
  }),
  since: Optional.Moment('Only entries from this time on.'),
  until: Optional.Moment('Only entries before this time.'),
  before_id: Optional.Id('Only entries older than this ID, for paging.'),
};

const Json = (description: string) => Type.Unsafe<unknown>({ description });

export const Entry = Type.Object({
  id: Id('Entry ID.'),
  at: Moment('When.'),
  actor: Type.Object(
    {
      kind: Text('key, user or local (the CLI).', 'key'),
      id: Integer('ID of the key or user; 0 for the CLI.', 1),
      name: Type.String({ examples: ['deploy script'] }),
    },
    { description: 'Who.' },
  ),
  action: Text('What was done.', 'bots.update'),
  bot_id: Integer('The bot; 0 if there is none.'),
  chat_id: Integer('The chat; 0 if there is none.'),
  user_id: Integer('The person; 0 if there is none.'),
  input: Json('The request, with secrets masked. Of URLs, only scheme, host and port are shown.'),
  before: Json('The state before, with secrets masked; null if it did not exist.'),
  after: Json('The state after, with secrets masked.'),
  address: Text('Client address of the request.', '127.0.0.1'),
  request_id: Type.String(),
});

export function auditEndpoints({ audit }: { audit: AuditLog }): Endpoint[] {
  return [
    get('Audit log', '/api/adminlog', {
      scope: 'admin',
      summary: 'List audit log entries',
      description:
        'Every change made through the API, the web UI or the CLI, including sent messages, newest first. Entries never change. A key limited to some bots sees only entries of those bots.',
      query: Query({
        ...filter,
        limit: Optional.Integer('How many.', undefined, { minimum: 1, maximum: 200, default: 50 }),
      }),
      response: Type.Array(Entry),
      errors: ['bot_not_allowed'],
      handler: async ({ caller, query: { limit = 50, ...query } }) =>
        (await audit.list(caller, { ...queryOf(query), limit })).map(entryView),
    }),
    get('Audit log', '/api/adminlog/export', {
      scope: 'admin',
      summary: 'Export the audit log',
      description:
        'As JSON lines or CSV, newest first. CSV cells that a spreadsheet would run as a formula are escaped.',
      query: Query({
        ...filter,
        format: Optional.Choice(['jsonl', 'csv'], { default: 'jsonl' }),
      }),
      produces: ['application/x-ndjson', 'text/csv'],
      response: Type.String(),
      errors: ['bot_not_allowed'],
      async handler({ caller, query: { format = 'jsonl', ...query }, raw }) {
        const isCsv = format === 'csv';
        raw.reply.header(
          'content-type',
          isCsv ? 'text/csv; charset=utf-8' : 'application/x-ndjson',
        );
        raw.reply.header('content-disposition', `attachment; filename="audit-log.${format}"`);
        const pages = audit.pages(caller, { ...queryOf(query), limit: 1 });
        return Readable.from(isCsv ? asCsv(pages) : asLines(pages)) as unknown as string;
      },
    }),
  ];
}

type AuditRecord = Listed<AuditLog['list']>;

async function* asLines(pages: AsyncIterable<AuditRecord[]>): AsyncGenerator<string> {
  for await (const records of pages) {
    yield records.map((record) => `${JSON.stringify(entryView(record))}\n`).join('');
  }
}

const columns = [
  'id',
  'at',
  'actor_kind',
  'actor_id',
  'actor_name',
  'action',
  'bot_id',
  'chat_id',
  'user_id',
  'input',
  'before',
  'after',
  'address',
  'request_id',
] as const;

async function* asCsv(pages: AsyncIterable<AuditRecord[]>): AsyncGenerator<string> {
  yield csvLine(columns);
  for await (const records of pages) {
    yield records
      .map((record) =>
        csvLine(columns.map((name) => (name === 'at' ? isoTime(record.at) : record[name]))),
      )
      .join('');
  }
}

interface GivenFilter {
  bot_id?: number;
  actor_kind?: string;
  actor_id?: number;
  action?: string;
  since?: string;
  until?: string;
  before_id?: number;
}

function queryOf(given: GivenFilter): Omit<AuditQuery, 'limit'> {
  const { bot_id, actor_kind, actor_id, action, since, until, before_id } = given;
  return {
    ...(bot_id === undefined ? {} : { botId: bot_id }),
    ...(actor_kind === undefined ? {} : { actorKind: actor_kind }),
    ...(actor_id === undefined ? {} : { actorId: actor_id }),
    ...(action ? { action } : {}),
    ...(since === undefined ? {} : { since: Date.parse(since) }),
    ...(until === undefined ? {} : { until: Date.parse(until) }),
    ...(before_id === undefined ? {} : { beforeId: before_id }),
  };
}

function entryView(record: AuditRecord): Static<typeof Entry> {
  const { id, action, bot_id, chat_id, user_id, address, request_id } = record;
  return {
    id,
    at: isoTime(record.at),
    actor: { kind: record.actor_kind, id: record.actor_id, name: record.actor_name },
    action,
    bot_id,
    chat_id,
    user_id,
    input: parsed(record.input),
    before: parsed(record.before),
    after: parsed(record.after),
    address,
    request_id,
  };
}

function parsed(json: string): unknown {
  return json === '' ? null : JSON.parse(json);
}
