/* Chat IDs that groups had before they became supergroups: a file may still have them. */
import { type ConfigDocument, mapSections } from './document.ts';

export type ChatMoves = ReadonlyMap<number, number>;

const mostSteps = 5;

/** Returns the file with current IDs, and the IDs that moved. */
export function withMovedChats(
  document: ConfigDocument,
  moves: ChatMoves,
): { document: ConfigDocument; moved: ChatMoves } {
  const moved = new Map<number, number>();
  if (moves.size === 0) return { document, moved };
  function idOf(chatId: number): number {
    let id = chatId;
    // The number of steps is bounded, in case two chats claim to have become each other.
    for (let steps = 0; steps < mostSteps && moves.has(id); steps++) id = moves.get(id) as number;
    if (id !== chatId) moved.set(chatId, id);
    return id;
  }
  const today = mapSections(document, (section, part) => section.withChats(part, idOf));
  return { document: today, moved };
}
