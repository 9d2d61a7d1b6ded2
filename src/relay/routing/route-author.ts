import type { Author } from '../../core/messages/author.ts';
import { chatFact, personFact } from '../../core/messages/message-facts.ts';
import type { Wire } from '../../core/log/wire.ts';

/** Names the person whose message a route carries; who writes as a chat is that chat. */
export function routeAuthor(
  route: { id: number; description?: string | undefined },
  message: Wire | undefined,
): Author {
  const author = { kind: 'route', id: route.id, name: route.description ?? '' } as const;
  return { ...author, ...messageAuthor(message) };
}

/** The person who wrote a message; none for a bot. */
export function messageAuthor(message: Wire | undefined): Pick<Author, 'person'> {
  const chat = chatFact(message?.sender_chat);
  if (chat) return { person: { id: chat.chatId, name: chat.title } };
  const sender = personFact(message?.from);
  if (!sender || sender.isBot) return {};
  const name = [sender.firstName, sender.lastName].filter(Boolean).join(' ');
  return { person: { id: sender.userId, name } };
}
