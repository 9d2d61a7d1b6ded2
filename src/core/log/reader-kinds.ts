/*
 * The kinds of readers of the update log, and their names: a reader without a name is called by its
 * kind (`push`), any other by its kind, a colon and its name (`pull:analytics`).
 */

import { defaultApp } from '../apps/default-app.ts';

export interface ReaderFacts {
  /** The stored name of the reader that has no name. */
  unnamed: string;
  /** The bot's setting that turns it on. While that is off, retention does not wait for it. */
  switchedBy?: 'proxy_enabled' | 'long_poll_enabled';
  /** Its state may name finished positions after its cursor. */
  finishesAhead: boolean;
  /** Failed updates wait in retry queues while its cursor moves on. */
  retries: boolean;
  /**
   * Clients poll with it: a named reader is created by its first poll and exists until a person
   * removes it.
   */
  byClients: boolean;
  /** The name of an icon in the web UI. */
  icon: string;
  /** English texts of the API reference, the CLI and the web UI. */
  does: string;
  label: string;
  rewindMeans: string;
}

export const readerKinds = {
  push: {
    unnamed: 'push',
    switchedBy: 'proxy_enabled',
    finishesAhead: true,
    retries: true,
    byClients: false,
    icon: 'send',
    does: 'forwards to the backend',
    label: 'Backend',
    rewindMeans: 'The backend receives these updates again, in order within each chat.',
  },
  routing: {
    unnamed: 'routing',
    finishesAhead: false,
    retries: false,
    byClients: false,
    icon: 'route',
    does: 'follows the routes',
    label: 'Routes',
    rewindMeans: 'Routes skip updates they already decided on, so nothing is sent twice.',
  },
  pull: {
    unnamed: 'pull:',
    switchedBy: 'long_poll_enabled',
    finishesAhead: true,
    retries: false,
    byClients: true,
    icon: 'menu',
    does: 'serves getUpdates',
    label: 'Apps calling getUpdates',
    rewindMeans: 'The client receives these updates with its next request.',
  },
  export: {
    unnamed: 'export',
    finishesAhead: false,
    retries: false,
    byClients: false,
    icon: 'file',
    does: 'writes files of JSON lines',
    label: 'File export',
    rewindMeans: 'These updates are exported again, to the files of the days they arrived.',
  },
} as const satisfies Record<string, ReaderFacts>;

export type ReaderKind = keyof typeof readerKinds;

export const allReaderKinds = Object.keys(readerKinds) as ReaderKind[];

/** A value for each kind. */
export const perReaderKind = <T>(valueOf: (facts: ReaderFacts) => T): Record<ReaderKind, T> =>
  Object.fromEntries(allReaderKinds.map((kind) => [kind, valueOf(readerKinds[kind])])) as Record<
    ReaderKind,
    T
  >;

export const pushReader = readerKinds.push.unnamed;
export const routingReader = readerKinds.routing.unnamed;
export const pullReader = readerKinds.pull.unnamed;

/** The stored name of a reader. */
export const readerOf = (kind: ReaderKind, name: string): string =>
  name === '' ? readerKinds[kind].unnamed : `${kind}:${name}`;

export function readerKind(stored: string): ReaderKind {
  const kind = knownKind(stored);
  if (kind) return kind;
  throw new Error(`A reader of an unknown kind is stored: ${stored}`);
}

function knownKind(reader: string): ReaderKind | undefined {
  const [kind] = reader.split(':', 1);
  return allReaderKinds.find((known) => known === kind);
}

/** False for a reader that a later version added. */
export const isKnownReader = (stored: string): boolean => knownKind(stored) !== undefined;

/** The name of the reader itself; empty if it has none. */
export const readerName = (stored: string): string => stored.slice(readerKind(stored).length + 1);

/** The app that the reader serves; empty if it serves none. */
export function readerApp(stored: string): string {
  const { switchedBy } = readerKinds[readerKind(stored)] as ReaderFacts;
  return switchedBy ? readerName(stored) || defaultApp : '';
}

/** The name in lists and requests: the unnamed consumer is just `pull`. */
export const publicName = (stored: string): string =>
  allReaderKinds.find((kind) => readerKinds[kind].unnamed === stored) ?? stored;

/** The stored name of the reader that a request names; undefined for an unknown kind. */
export function storedName(publicName: string): string | undefined {
  const kind = knownKind(publicName);
  return kind && readerOf(kind, publicName.slice(kind.length + 1));
}
