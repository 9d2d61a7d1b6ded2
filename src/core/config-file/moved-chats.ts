/* Chat IDs that groups had before they became supergroups: a file may still have them. */
import { chatConditions } from '../routing/condition-types.ts';
import type { ConfigDocument, RouteInFile } from './document.ts';
import { isSame } from './plan.ts';

export type ChatMoves = ReadonlyMap<number, number>;

/** The file with the IDs of today, and which of them moved. */
export function withMovedChats(
  document: ConfigDocument,
  moves: ChatMoves,
): { document: ConfigDocument; moved: ChatMoves } {
  const moved = new Map<number, number>();
  if (moves.size === 0) return { document, moved };
  function idOf(chatId: number): number {
    let id = chatId;
    // Bounded, should two chats claim to have become each other.
    for (let steps = 0; steps < mostSteps && moves.has(id); steps++) id = moves.get(id) as number;
    if (id !== chatId) moved.set(chatId, id);
    return id;
  }
  function ofRoute(route: RouteInFile): RouteInFile {
    const { source_chat_id: from, target_chat_id: to, condition_value: value } = route;
    const isChat = chatConditions.some((type) => type === route.condition_type);
    return {
      ...route,
      ...(from === undefined ? {} : { source_chat_id: idOf(from) }),
      ...(to === undefined ? {} : { target_chat_id: idOf(to) }),
      ...(isChat && value !== undefined ? { condition_value: String(idOf(Number(value))) } : {}),
    };
  }
  const bots = document.bots?.map((bot) => ({
    ...bot,
    ...(bot.apps
      ? {
          apps: bot.apps.map((app) =>
            app.filter?.chat_ids
              ? { ...app, filter: { ...app.filter, chat_ids: app.filter.chat_ids.map(idOf) } }
              : app,
          ),
        }
      : {}),
  }));
  const routes = once(document.routes, ofRoute);
  const channels = once(document.alert_channels, (channel) =>
    channel.chat_id === undefined ? channel : { ...channel, chat_id: idOf(channel.chat_id) },
  );
  return {
    document: {
      ...document,
      ...(bots ? { bots } : {}),
      ...(routes ? { routes } : {}),
      ...(channels ? { alert_channels: channels } : {}),
    },
    moved,
  };
}

const mostSteps = 5;

/** An entry that is there under the new ID, too, is not meant twice. */
function once<T>(entries: readonly T[] | undefined, move: (entry: T) => T): T[] | undefined {
  return entries?.map(move).filter((entry, index, all) => {
    const isMoved = !isSame(entry, entries[index]);
    return (
      !isMoved ||
      !all.some((other, at) => at !== index && isSame(other, entries[at]) && isSame(other, entry))
    );
  });
}
