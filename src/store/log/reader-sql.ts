/* What `core/log/reader-kinds.ts` says of readers, for queries. */
import { defaultApp } from '../../core/apps/app.ts';
import {
  allReaderKinds,
  type ReaderFacts,
  type ReaderKind,
  readerKinds,
} from '../../core/log/reader-kinds.ts';

const kindsWhere = (holds: (facts: ReaderFacts) => boolean): ReaderKind[] =>
  allReaderKinds.filter((kind) => holds(readerKinds[kind]));

/** The column names a reader of one of these kinds. */
const isOneOf = (kinds: readonly ReaderKind[], column: string): string =>
  `(${kinds.map((kind) => `${column} = '${kind}' or ${column} like '${kind}:%'`).join(' or ')})`;

/** The column names a reader of this kind. */
export const isOfKind = (kind: ReaderKind, column: string): string => isOneOf([kind], column);

/** False for readers that a later version added. */
export const isKnownKind = (column: string): string => isOneOf(allReaderKinds, column);

/** The column names a reader whose state may name finished positions. */
export const finishesAhead = (column: string): string =>
  isOneOf(
    kindsWhere((facts) => facts.finishesAhead),
    column,
  );

/** The kind of the reader that the column names. */
export const kindOf = (column: string): string =>
  `case ${allReaderKinds.map((kind) => `when ${isOfKind(kind, column)} then '${kind}'`).join(' ')} end`;

/**
 * Of `bots b`: whether retention waits for the reader that the column names. Where it is the bot's own,
 * a switch of the bot says so; else its app does, and an app without a token polls by that switch, too.
 */
export const isWaitedFor = (column: string): string =>
  allReaderKinds
    .map((kind) => ({ kind, facts: readerKinds[kind] as ReaderFacts }))
    .filter(({ facts }) => facts.switchedBy)
    .map(({ kind, facts: { byClients, switchedBy } }) => {
      const mode = byClients ? 'poll' : 'webhook';
      const ofApp = `select case when a.disabled = 1 or a.mode <> '${mode}' then 0
          ${byClients ? `when a.token_hash is null then b.${switchedBy}` : ''} else 1 end
        from apps a where a.bot_id = b.id and a.name <> '${defaultApp}'
          and a.name = substr(${column}, ${kind.length + 2})`;
      return `(not ${isOfKind(kind, column)} or coalesce((${ofApp}), b.${switchedBy}) = 1)`;
    })
    .join(' and ');
