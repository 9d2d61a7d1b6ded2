import { useEffect, useRef, useState } from 'react';
import { draftOf, keepDraft } from '../../../shared/drafts.ts';

/**
 * What was begun in a chat stays while one looks into another or loads the page again. Words of a
 * message that is being changed are not kept.
 */
export function useDraft(key: string, edited: string | undefined) {
  const [text, setText] = useState(edited ?? draftOf(key));
  const isHere = useRef(false);
  useEffect(() => {
    isHere.current = true;
    return () => {
      isHere.current = false;
    };
  }, []);
  const isNew = edited === undefined;
  useEffect(() => {
    if (isNew) keepDraft(key, text);
  }, [isNew, key, text]);

  /** Words that were not sent stand before those that were written since. */
  function giveBack(words: string): void {
    const before = (now: string) => (now === '' ? words : `${words}\n${now}`);
    if (isHere.current) setText(before);
    else if (isNew) keepDraft(key, before(draftOf(key)));
  }
  return { text, setText, giveBack, isHere: () => isHere.current };
}
