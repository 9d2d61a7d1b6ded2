/*
 * From log entries to decisions. Albums are decided as one: the platform sends their parts as
 * updates of their own, so the first part waits a moment for the rest, and the rest are marked as
 * decided with it.
 */
import type { Clock } from '../../clock.ts';
import { addMessageFacts, emptyFacts, object, text, type Wire } from '../../core/message-facts.ts';
import type { RouteMatcher } from '../../core/route-matcher.ts';
import type { BotRecord } from '../../store/bots.ts';
import type { Decisions, NewDecision } from '../../store/decisions.ts';
import type { LogEntry } from '../../store/log.ts';
import type { OutboxIntent } from '../../store/outbox.ts';
import type { RouteRecord } from '../../store/routes.ts';
import {
  type DecideDeps,
  decide,
  decideEdit,
  type Deliberation,
  type MatchRecord,
  type Verdict,
} from './decide.ts';

export interface PlannedDecision {
  decision: Omit<NewDecision, 'createdAt'>;
  intents: OutboxIntent[];
  /** The routes that took the message. */
  routeIds: number[];
}

export interface Plan {
  decisions: PlannedDecision[];
  /** Everything up to here is decided. */
  upTo: number;
  /** Above 0: what comes next cannot be decided before this time has passed. */
  waitMs: number;
}

const albumWaitMs = 1_000;
const unsettledWaitMs = 100;
const newMessages = new Set(['message', 'channel_post']);
const editedMessages = new Set(['edited_message', 'edited_channel_post']);

export async function deliberate(
  deps: DecideDeps & { decisions: Decisions; clock: Clock },
  matcher: RouteMatcher<RouteRecord>,
  bot: BotRecord,
  entries: readonly LogEntry[],
): Promise<Plan> {
  const plan: Plan = { decisions: [], upTo: 0, waitMs: 0 };
  const inAlbum = new Set<number>();
  for (const [index, entry] of entries.entries()) {
    const wire = messageOf(entry);
    if (wire && !inAlbum.has(entry.position)) {
      const isEdit = editedMessages.has(entry.kind);
      const groupId = isEdit ? '' : text(wire.media_group_id);
      const waitMs = groupId === '' ? 0 : entry.receivedAt + albumWaitMs - deps.clock.now();
      if (waitMs > 0) return { ...plan, waitMs };
      const parts = groupId === '' ? [] : partsOf(groupId, entries.slice(index + 1));
      const item = itemOf(bot, entry, wire, parts);
      if (item) {
        const verdict = isEdit
          ? await verdictOnEdit(deps, item, wire)
          : await decide(deps, matcher, item);
        if (!verdict) return { ...plan, waitMs: unsettledWaitMs };
        plan.decisions.push(planned(item, entry, verdict, matcher));
        for (const part of parts) {
          inAlbum.add(part.entry.position);
          plan.decisions.push(asPart(item, part, verdict));
        }
      }
    }
    plan.upTo = entry.position;
  }
  return plan;
}

interface Part {
  entry: LogEntry;
  wire: Wire;
}

function messageOf(entry: LogEntry): Wire | undefined {
  if (!newMessages.has(entry.kind) && !editedMessages.has(entry.kind)) return undefined;
  return object((JSON.parse(entry.raw) as Wire)[entry.kind]);
}

function partsOf(groupId: string, later: readonly LogEntry[]): Part[] {
  const parts: Part[] = [];
  for (const entry of later) {
    // Most entries are of no album, and telling by text is far cheaper than parsing each.
    if (!newMessages.has(entry.kind) || !entry.raw.includes(groupId)) continue;
    const wire = messageOf(entry);
    if (wire && text(wire.media_group_id) === groupId) parts.push({ entry, wire });
  }
  return parts;
}

/** Exported for those who decide about a single stored update: the model, the simulator. */
export function itemOf(
  bot: BotRecord,
  entry: Pick<LogEntry, 'position'>,
  wire: Wire,
  parts: readonly Part[] = [],
): Deliberation | undefined {
  const facts = emptyFacts();
  addMessageFacts(facts, wire);
  const [fact] = facts.messages;
  if (!fact || typeof fact.id !== 'number') return undefined;
  const messages = [{ id: fact.id, wire }];
  let caption = fact.text;
  for (const part of parts) {
    const id = part.wire.message_id;
    if (typeof id !== 'number') continue;
    messages.push({ id, wire: part.wire });
    // The one caption of an album may stand on any of its parts.
    caption ||= text(part.wire.caption);
  }
  return {
    bot,
    position: entry.position,
    source: { botId: bot.id, chatId: fact.chatId, messages },
    userId: fact.userId,
    text: caption,
    mediaType: fact.mediaType,
  };
}

async function verdictOnEdit(
  deps: { decisions: Decisions },
  item: Deliberation,
  wire: Wire,
): Promise<Verdict> {
  const { bot, position, source } = item;
  const messageId = source.messages[0]?.id ?? 0;
  const earlier = await deps.decisions.ofMessage(bot.id, source.chatId, messageId);
  const matches = earlier
    .filter((decision) => ['routed', 'returned', 'album'].includes(decision.outcome))
    .flatMap((decision) => JSON.parse(decision.matched) as MatchRecord[]);
  return decideEdit({ bot, position, chatId: source.chatId, messageId, wire }, matches);
}

function planned(
  item: Deliberation,
  entry: LogEntry,
  verdict: Verdict,
  matcher: RouteMatcher<RouteRecord>,
): PlannedDecision {
  const byRules = ['routed', 'dropped', 'none', 'asking'].includes(verdict.outcome);
  return {
    decision: {
      botId: item.bot.id,
      position: entry.position,
      updateId: entry.updateId,
      chatId: item.source.chatId,
      userId: item.userId,
      messageId: item.source.messages[0]?.id ?? 0,
      outcome: verdict.outcome,
      reason: verdict.reason,
      asked: byRules ? matcher.asked : '',
      matched: JSON.stringify(verdict.matched),
    },
    intents: verdict.intents,
    routeIds: byRules ? verdict.matched.map((match) => match.route_id) : [],
  };
}

function asPart(item: Deliberation, { entry, wire }: Part, verdict: Verdict): PlannedDecision {
  // Only the first part carries the line that says who sent it.
  const matched = verdict.matched.map((match) => ({ ...match, action: 'copy' }));
  return {
    decision: {
      botId: item.bot.id,
      position: entry.position,
      updateId: entry.updateId,
      chatId: item.source.chatId,
      userId: item.userId,
      messageId: typeof wire.message_id === 'number' ? wire.message_id : 0,
      outcome: 'album',
      reason: `Decided with its album at position ${item.position}.`,
      asked: '',
      matched: JSON.stringify(matched),
    },
    intents: [],
    routeIds: [],
  };
}
