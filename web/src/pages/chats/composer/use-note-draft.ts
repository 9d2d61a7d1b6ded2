import { addNote } from '../../../api/people.ts';
import { useAction } from '../../../shared/use-action.ts';
import type { ComposerProps } from './composer-props.ts';

const command = /^\/note(?=\s|$)/;

/** True for a text that is to be a note, as in the topics of a desk: /note Calls on Mondays */
export const isNote = (text: string) => command.test(text);

/** `text` is the note, '' while nothing follows the command, undefined for a message. */
export function useNoteDraft(
  { bot, chatId }: Pick<ComposerProps, 'bot' | 'chatId'>,
  text: string,
  onAdded: () => void,
) {
  const add = useAction({
    run: (words: string) => addNote({ bot_id: bot.id, user_id: chatId, text: words }),
    refreshes: [['people', bot.id]],
    done: onAdded,
  });
  const isMeant = bot.manage_enabled && chatId > 0 && isNote(text);
  const note = isMeant ? text.replace(command, '').trim() : undefined;
  return {
    text: note,
    isPending: add.isPending,
    /** True if the text is a note, which is added then. */
    submit(): boolean {
      if (note !== undefined) add.mutate(note);
      return note !== undefined;
    },
  };
}
