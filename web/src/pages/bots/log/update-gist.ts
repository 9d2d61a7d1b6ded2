import { isolated } from '../../../i18n/isolate.ts';
import { shortened } from '../../../ui/text/shortened.ts';

interface Party {
  title?: string;
  first_name?: string;
  last_name?: string;
  username?: string;
}
interface Payload {
  text?: string;
  caption?: string;
  data?: string;
  query?: string;
  from?: Party;
  user?: Party;
  chat?: Party;
  message?: { chat?: Party };
}

/** Sender, chat and first words of an update; '' for missing ones. */
export interface Gist {
  who: string;
  words: string;
}

const longest = 80;

/** The stored message of an update; undefined for updates without one, and of business accounts. */
export function messageIn(update: { raw: string; kind: string; position: number }) {
  if (update.kind.includes('business')) return undefined;
  const part = (JSON.parse(update.raw) as Record<string, MessagePart | undefined>)[update.kind];
  // The press of a button is stored under the position of its update.
  const isPress = update.kind === 'callback_query';
  const chatId = isPress ? part?.message?.chat?.id : part?.chat?.id;
  const messageId = isPress ? -update.position : part?.message_id;
  return chatId === undefined || messageId === undefined ? undefined : { chatId, messageId };
}

interface MessagePart {
  message_id?: number;
  chat?: { id: number };
  message?: { chat?: { id: number } };
}

export function gistOf(update: { raw: string; kind: string }): Gist {
  try {
    const parts = JSON.parse(update.raw) as Record<string, Payload | undefined>;
    const part = parts[update.kind] ?? {};
    const words = part.text ?? part.caption ?? part.data ?? part.query ?? '';
    const chatTitle = (part.chat ?? part.message?.chat)?.title ?? '';
    const person = nameOf(part.from ?? part.user ?? part.chat);
    return {
      who: [...new Set([person, chatTitle])].filter(Boolean).map(isolated).join(' · '),
      words: shortened(words, longest),
    };
  } catch {
    return { who: '', words: '' };
  }
}

function nameOf(party: Party | undefined): string {
  if (!party) return '';
  const name = [party.first_name, party.last_name].filter(Boolean).join(' ');
  return name || party.title || (party.username ? `@${party.username}` : '');
}
