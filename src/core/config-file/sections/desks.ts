import { deskDefaults, type DeskOptions } from '../../desks/desk-options.ts';
import { type FileSection, type GivenEntry, movedOnce, sortedIds } from '../file-section.ts';

export interface DeskInFile extends Partial<DeskOptions> {
  /** The forum; it identifies the desk. */
  chat_id: number;
  desk_bot: number;
  bots: readonly number[];
}

export const desks: FileSection<readonly DeskInFile[], GivenEntry<'desk', DeskInFile>> = {
  entries: (part) =>
    part.map((given) => {
      const fields = { ...deskDefaults, ...given, bots: sortedIds(given.bots) };
      return { kind: 'desk', name: `in ${given.chat_id}`, fields, given };
    }),
  withChats: (part, idOf) => movedOnce(part, (desk) => ({ ...desk, chat_id: idOf(desk.chat_id) })),
  written: (part, writer) =>
    part.map(({ chat_id, desk_bot, bots, ...options }) => ({
      chat_id,
      desk_bot,
      bots,
      ...writer.settings(options, deskDefaults),
    })),
};
