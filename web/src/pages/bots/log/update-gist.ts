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
