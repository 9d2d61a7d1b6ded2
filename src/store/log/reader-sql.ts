/* Translates `core/log/reader-kinds.ts` into SQL. */
import { defaultApp } from '../../core/apps/app.ts';
import {
  allReaderKinds,
  pullReader,
  type ReaderKind,
  readerKinds,
} from '../../core/log/reader-kinds.ts';

/** SQL: the column names a reader of one of these kinds. */
const isOneOf = (kinds: readonly ReaderKind[], column: string): string =>
  `(${kinds.map((kind) => `${column} = '${kind}' or ${column} like '${kind}:%'`).join(' or ')})`;

/** SQL: the column names a reader of this kind. */
export const isOfKind = (kind: ReaderKind, column: string): string => isOneOf([kind], column);

/** SQL: false for readers that a later version added. */
export const isKnownKind = (column: string): string => isOneOf(allReaderKinds, column);

/** SQL: the kind of the reader that the column names. */
export const kindOf = (column: string): string =>
  `case ${allReaderKinds.map((kind) => `when ${isOfKind(kind, column)} then '${kind}'`).join(' ')} end`;

type SwitchedKind = 'push' | 'pull';

/**
 * SQL on `bots b`: true if the reader of that kind that the column names is on. A switch of the bot
 * decides for its own reader; for others their app does, and an app without a token also needs that
 * switch to poll.
 */
export function isSwitchedOn(kind: SwitchedKind, column: string): string {
  const { byClients, switchedBy } = readerKinds[kind];
  const ofApp = `select case when a.disabled = 1 or a.mode <> '${byClients ? 'poll' : 'webhook'}' then 0
      ${byClients ? `when a.token_hash is null then b.${switchedBy}` : ''} else 1 end
    from apps a where a.bot_id = b.id and a.name <> '${defaultApp}'
      and a.name = substr(${column}, ${kind.length + 2})`;
  return `coalesce((${ofApp}), b.${switchedBy}) = 1`;
}

/** SQL on `bots b`: true if retention waits for the reader that the column names. */
export const isWaitedFor = (column: string): string =>
  (['push', 'pull'] as const)
    .map((kind) => `(not ${isOfKind(kind, column)} or ${isSwitchedOn(kind, column)})`)
    .join(' and ');

/**
 * SQL on `readers r`: true if a client has polled through it, or if clients do not read through it.
 * Deliveries of a bot that forwards count as calls of its default app, so those prove nothing.
 */
export const isUsed = `(not ${isOfKind('pull', 'r.name')} or r.updated_at > r.created_at
  or r.state like '%"shown":{%' or exists (select 1 from bots o join apps a on a.bot_id = o.id
    join app_activity v on v.app_id = a.id where o.id = r.bot_id and v.last_seen_at > 0
      and case when r.name <> '${pullReader}' then a.name = substr(r.name, ${pullReader.length + 1})
        else a.name = '${defaultApp}' and o.proxy_enabled = 0 end))`;
