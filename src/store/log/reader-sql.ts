/* What `core/log/reader-kinds.ts` says of readers, for queries. */
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

/** Of `readers r` and `bots b`: whether retention waits for the reader. */
export const isWaitedFor = allReaderKinds
  .map((kind) => ({ kind, facts: readerKinds[kind] as ReaderFacts }))
  .filter(({ facts }) => facts.switchedBy)
  .map(({ kind, facts }) => `(not ${isOfKind(kind, 'r.name')} or b.${facts.switchedBy} = 1)`)
  .join(' and ');
