/* Finds the rest of an album whose first part the model is asked about. */
import { connectionOf } from '../../core/messages/message-facts.ts';
import { integer, object, text, type Wire } from '../../core/log/wire.ts';
import type { DecisionRepository } from '../../store/routing/decisions.ts';
import type { LogRepository } from '../../store/log/log.ts';
import { type Part, messageParts } from './plan-decisions.ts';
import { messageAt } from './message-at.ts';

export interface AlbumDeps {
  log: Pick<LogRepository, 'read'>;
  decisions: Pick<DecisionRepository, 'albumParts' | 'ofMessage'>;
}

/** The other parts of an album follow the first within this distance. */
const albumReach = 100;

/** Returns the parts with their latest text; parts that came too late were decided on their own. */
export async function albumPartsOf(
  { log, decisions }: AlbumDeps,
  botId: number,
  first: Wire,
): Promise<Part[]> {
  if (text(first.media_group_id) === '') return [];
  // The first part may have been edited since; the other parts follow its original position.
  const [begin] = await decisions.ofMessage(keyOf(botId, first));
  if (!begin) return [];
  const [, ...later] = await log.read(botId, begin.position - 1, albumReach);
  const parts = messageParts(first, later);
  const positions = parts.map(({ entry }) => entry.position);
  const decided = await decisions.albumParts(botId, positions);
  const here = parts.filter(({ entry }) => decided.has(entry.position));
  return Promise.all(here.map(async (part) => ({ ...part, wire: await newest(part) })));

  async function newest({ entry, wire }: Part): Promise<Wire> {
    const latest = (await decisions.ofMessage(keyOf(botId, wire))).at(-1);
    if (!latest || latest.position === entry.position) return wire;
    return (await messageAt(log, botId, latest.position))?.wire ?? wire;
  }
}

function keyOf(botId: number, wire: Wire) {
  return {
    botId,
    connection: connectionOf(wire),
    chatId: integer(object(wire.chat)?.id) ?? 0,
    messageId: integer(wire.message_id) ?? 0,
  };
}
