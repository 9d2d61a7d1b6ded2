import type { FileSection, GivenEntry } from '../file-section.ts';

export interface ReplyInFile {
  name: string;
  text: string;
  /** Left out for all bots. */
  bot?: number;
}

export const savedReplies: FileSection<readonly ReplyInFile[], GivenEntry<'reply', ReplyInFile>> = {
  entries: (part) =>
    part.map((given) => {
      const { bot, name, text } = given;
      return { kind: 'reply', name: `${bot ?? 'all'}/${name}`, fields: { text }, given };
    }),
  withChats: (part) => part,
  written: (part) => part,
};
