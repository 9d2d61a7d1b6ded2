import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useId, useRef, useState } from 'react';
import { botName } from '../../../api/bots.ts';
import { countReply, type SavedReply, savedRepliesQuery } from '../../../api/saved-replies.ts';
import type { Bot } from '../../../api/client/types.ts';
import { useSession } from '../../../shared/use-session.ts';
import { fillReply, type ReplyFacts } from './fill-reply.ts';

const mostShown = 50;

/** Offers saved replies while the text is a slash and the first letters of one. */
export function useSavedReplies(options: {
  bot: Bot;
  facts: Pick<ReplyFacts, 'person' | 'chat'>;
  text: string;
  /** False while another message is edited, or a file is captioned. */
  offered: boolean;
  setText: (text: string) => void;
}) {
  const { bot, facts, offered, setText, text } = options;
  const me = useSession().name;
  const listId = useId();
  /** The text for which the user closed the list. */
  const [closedAt, setClosedAt] = useState('');
  const [active, setActive] = useState(0);
  const [manages, setManages] = useState(false);
  const chosen = useRef<number>(undefined);
  const wanted = offered && text !== closedAt ? /^\/(\S*)$/.exec(text)?.[1] : undefined;
  const all = useQuery({ ...savedRepliesQuery(bot.id), enabled: wanted !== undefined }).data;
  const shown = wanted === undefined ? [] : matching(all ?? [], wanted).slice(0, mostShown);
  const at = Math.min(active, Math.max(0, shown.length - 1));

  function choose(reply: SavedReply): void {
    chosen.current = reply.id;
    setText(fillReply(reply.text, { ...facts, bot: botName(bot), me }));
  }
  /** True if the key was for the list. */
  function onKey(event: KeyboardEvent): boolean {
    if (wanted === undefined || event.nativeEvent.isComposing) return false;
    const reply = shown[at];
    if (event.key === 'Escape') setClosedAt(text);
    else if (!reply) return false;
    else if (event.key === 'ArrowDown') setActive((at + 1) % shown.length);
    else if (event.key === 'ArrowUp') setActive((at + shown.length - 1) % shown.length);
    else if ((event.key === 'Enter' || event.key === 'Tab') && !event.shiftKey) choose(reply);
    else return false;
    event.preventDefault();
    return true;
  }
  return {
    /** Undefined while no replies are offered. */
    list:
      wanted === undefined || !all
        ? undefined
        : { id: listId, replies: shown, at, isEmpty: all.length === 0, choose },
    onKey,
    manages,
    setManages,
    /** The reply that the text began as. */
    chosen: () => chosen.current,
    /** Call it when a text was sent that began as this reply. */
    onSent(reply: number | undefined): void {
      // A count that gets lost changes nothing for the user.
      if (reply !== undefined) countReply(reply).catch(() => undefined);
      if (chosen.current === reply) chosen.current = undefined;
    },
    /** Call it when the text changes in another way. */
    onText(words: string): void {
      setActive(0);
      if (words === '') chosen.current = undefined;
    },
  };
}

/** Names that begin with the letters come first, then names and texts that contain them. */
function matching(replies: readonly SavedReply[], wanted: string): SavedReply[] {
  const letters = wanted.toLowerCase();
  const rank = ({ name, text }: SavedReply) => {
    const at = name.toLowerCase().indexOf(letters);
    if (at >= 0) return at === 0 ? 0 : 1;
    return text.toLowerCase().includes(letters) ? 2 : 3;
  };
  return replies
    .map((reply) => ({ reply, rank: rank(reply) }))
    .filter((one) => one.rank < 3)
    .sort((left, right) => left.rank - right.rank || right.reply.uses - left.reply.uses)
    .map(({ reply }) => reply);
}
