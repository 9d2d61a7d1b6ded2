import { useEffect, useRef, useState } from 'react';
import { draftOf, keepDraft } from '../../../shared/stored/drafts.ts';
import { asNote } from './use-note-draft.ts';

/**
 * Keeps a draft per chat, which survives a change of the chat and a reload. The text of an edit is
 * not kept. A note is kept as one, so that it comes back as no message.
 */
export function useDraft(key: string, edited: string | undefined) {
  const [text, setText] = useState(edited ?? draftOf(key));
  const [isHeld, setHeld] = useState(false);
  const isHere = useRef(false);
  useEffect(() => {
    isHere.current = true;
    return () => {
      isHere.current = false;
    };
  }, []);
  const isNew = edited === undefined;
  useEffect(() => {
    if (isNew) keepDraft(key, isHeld ? asNote(text) : text);
  }, [isHeld, isNew, key, text]);

  /** Puts unsent text before anything written since. */
  function giveBack(words: string): void {
    const before = (now: string) => (now === '' ? words : `${words}\n${now}`);
    if (isHere.current) setText(before);
    else if (isNew) keepDraft(key, before(draftOf(key)));
  }
  return { text, setText, isHeld, setHeld, giveBack, isHere: () => isHere.current };
}
