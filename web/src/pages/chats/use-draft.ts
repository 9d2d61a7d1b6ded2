import { useEffect, useRef, useState } from 'react';
import { draftOf, keepDraft } from '../../app/drafts.ts';

/**
 * What was begun in a chat stays while one looks into another or loads the page again. Words of a
 * message that is being changed are not kept.
 */
export function useDraft(place: string, edited: string | undefined) {
  const [text, setText] = useState(edited ?? draftOf(place));
  const isHere = useRef(false);
  useEffect(() => {
    isHere.current = true;
    return () => {
      isHere.current = false;
    };
  }, []);
  const isNew = edited === undefined;
  useEffect(() => {
    if (isNew) keepDraft(place, text);
  }, [isNew, place, text]);

  /** Words that were not sent; tells whether anybody sees them come back. */
  function giveBack(words: string): boolean {
    if (isHere.current) setText((now) => now || words);
    else if (isNew) keepDraft(place, draftOf(place) || words);
    return isHere.current;
  }
  return { text, setText, giveBack };
}
