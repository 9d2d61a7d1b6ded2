/* Names who or what made a send. It is stored with the send and with the message. */
import { type Caller, callerName } from '../access/access.ts';
import { defaultApp } from '../apps/app.ts';

export const authorKinds = [
  'user',
  'key',
  'app',
  'backend',
  'route',
  'broadcast',
  'ask',
  'desk',
  'relay',
] as const;
export type AuthorKind = (typeof authorKinds)[number];

/** The names are those at the time of the send. */
export interface Author {
  kind: AuthorKind;
  /** The ID of the user, key, app or route; 0 if it has none. */
  id: number;
  name: string;
  /** The person in Telegram whose message a route or a desk carried. */
  person?: { id: number; name: string };
}

/** The CLI uses a key that lives as long as the service, so it is a key, too. */
export function authorOf(caller: Pick<Caller, 'kind' | 'id' | 'name' | 'client'>): Author {
  return { kind: caller.kind === 'user' ? 'user' : 'key', id: caller.id, name: callerName(caller) };
}

/** An app that calls the gateway; undefined for the bot's own token. */
export function appAuthor(app: { id: number; name: string } | undefined): Author {
  return { kind: 'app', id: app?.id ?? 0, name: app?.name ?? defaultApp };
}

/** A backend that calls in, or that answered an update; undefined for that of the bot itself. */
export function backendAuthor(app?: { id: number; name: string }): Author {
  return { ...appAuthor(app), kind: 'backend' };
}

export const alertAuthor: Author = { kind: 'relay', id: 0, name: 'alerts' };

/** A person answers for the team; the automatic answers of a bot count as the bot is set. */
export type AnswerBy = 'person' | 'automatic';

/**
 * Says how a message of this author counts in a conversation. A route only answers on its return
 * path, where a bot may have written as well.
 */
export function answererOf({ kind, person }: Author, isReturned: boolean): AnswerBy | undefined {
  if (kind === 'user' || kind === 'key' || kind === 'desk') return 'person';
  if (kind === 'app' || kind === 'backend') return 'automatic';
  if (kind === 'route' && isReturned) return person ? 'person' : 'automatic';
  return undefined;
}

const returnPrefix = 'return:';
/** The key of a send on a return path, which makes it act once. */
export const returnKey = (position: string) => `${returnPrefix}${position}`;
export const isReturnKey = (intentKey: string) => intentKey.startsWith(returnPrefix);

export function packAuthor(author: Author | undefined): string | null {
  return author ? JSON.stringify(author) : null;
}

/** Sends and messages of earlier versions have no author. */
export function readAuthor(stored: string | null): Author | undefined {
  return stored ? (JSON.parse(stored) as Author) : undefined;
}
