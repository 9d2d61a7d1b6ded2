import { addNote } from '../../../api/people.ts';
import { useAction } from '../../../shared/use-action.ts';
import { useMay } from '../../../shared/use-session.ts';
import type { ComposerProps } from './composer-props.ts';

const command = /^\s*\/note(?![\p{L}\p{N}_-])[\s:]*/iu;

/** True for a text that is to be a note, as in the topics of a desk: /note Calls on Mondays */
export const isNote = (text: string) => command.test(text);

/** The text as one that says itself that it is a note, however it was made one. */
export const asNote = (text: string) =>
  text.trim() === '' || isNote(text) ? text : `/note ${text}`;

/** A message that comes back because it was not sent may stand before a note. */
const inside = /^\s*\/note(?![\p{L}\p{N}_-])/imu;

/** Notes are about the person of a private chat. A text that is one is never sent to a chat. */
export function useNoteDraft(
  { bot, chatId, editing }: Pick<ComposerProps, 'bot' | 'chatId' | 'editing'>,
  draft: {
    text: string;
    hasFile: boolean;
    /** The button made it a note, which it stays whatever the text is. */
    isHeld: boolean;
    setHeld: (isHeld: boolean) => void;
    setText: (text: string) => void;
    giveBack: (text: string) => void;
  },
) {
  const { giveBack, hasFile, isHeld, setHeld, setText, text } = draft;
  const mayNote = useMay('notes', 'manage');
  const isOffered = mayNote && bot.manage_enabled && chatId > 0 && !editing;
  const add = useAction({
    run: (written: string) =>
      addNote({ bot_id: bot.id, user_id: chatId, text: written.replace(command, '').trim() }).catch(
        (error: unknown) => {
          giveBack(written);
          throw error;
        },
      ),
    refreshes: [['people', bot.id]],
  });
  const isMeant = isHeld || isNote(text);
  const isMixed = !isNote(text) && inside.test(text);
  const ofNote = !isOffered
    ? ('noteNotHere' as const)
    : hasFile
      ? ('noteNoFile' as const)
      : undefined;
  const obstacle = isMixed ? ('noteInside' as const) : isMeant ? ofNote : undefined;
  function toggle(): void {
    setHeld(!isMeant);
    setText(isMeant ? text.replace(command, '') : `/note ${text}`);
  }
  return {
    isMeant,
    isHeld,
    isEmpty: isMeant && text.replace(command, '') === '',
    isOffered,
    /** Why nothing can be sent or saved as it is. */
    obstacle,
    hint: obstacle ?? (isMeant ? ('noteHint' as const) : undefined),
    isPending: add.isPending,
    toggle,
    save(): void {
      // It returns if it fails; what is written meanwhile stays.
      setHeld(false);
      setText('');
      add.mutate(asNote(text));
    },
  };
}
