import type { Message } from '../../../api/client/types.ts';

export interface ReplyFacts {
  /** A message of the person who is answered. */
  person: Pick<Message, 'first_name' | 'last_name' | 'username'> | undefined;
  chat: string;
  bot: string;
  me: string;
}

/** The names between braces that a saved reply may have. */
export const placeholders = ['first_name', 'last_name', 'username', 'chat', 'bot', 'me'];

/** Puts names in place of `{first_name}` and the like; one that is not known stays, so that it is noticed. */
export function fillReply(text: string, { person, ...facts }: ReplyFacts): string {
  const { first_name = '', last_name = '', username = '' } = person ?? {};
  const known = new Map(Object.entries({ first_name, last_name, username, ...facts }));
  return text.replace(/\{(\w+)\}/g, (written, name: string) => known.get(name) || written);
}
