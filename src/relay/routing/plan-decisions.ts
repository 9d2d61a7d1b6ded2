/*
 * Turns log entries into decisions. An album gets one decision: the platform sends its parts as
 * separate updates, so the first part waits a moment for the rest, and the rest are marked as
 * decided with it.
 *
 * A message that cannot be decided yet, because a send that matters is in flight, holds back only
 * its own chat: it is set aside together with what follows it there.
 */
import { reason } from '../../core/reasons/reason.ts';
import type { Clock } from '../../clock.ts';
import { answerClaim } from '../../core/apps/claims.ts';
import { addMessageFacts, connectionOf, emptyFacts } from '../../core/messages/message-facts.ts';
import { integer, object, text, type Wire } from '../../core/log/wire.ts';
import type { BotRecord } from '../../store/bots/bots.ts';
import type { LogEntry } from '../../store/log/log-entry.ts';
import type { MessageKey } from '../../store/routing/message-pairs.ts';
import { planForDesk } from '../desks/changes.ts';
import { ofTeam, tellForgotten } from '../desks/to-customer.ts';
import { editForDesk } from '../desks/to-topic.ts';
import { decide, topicOf } from './decide.ts';
import {
  mirrorDeletion,
  type MirrorDeps,
  mirrorEdit,
  type MirroredChange,
} from './mirror-edits.ts';
import {
  type DecideDeps,
  type MatchRecord,
  type RoutableItem,
  type RoutingDecision,
  type Rules,
  decisionWithoutSends,
  type PlannedDecision,
} from './routing-decision.ts';

export interface Plan {
  decisions: PlannedDecision[];
  /** Everything up to this position is decided or set aside. */
  upTo: number;
  /** Entries to pass in again, before the next ones. */
  aside: LogEntry[];
  /** Above 0, the next entries cannot be decided before this time has passed. */
  waitMs: number;
}

const albumWaitMs = 1_000;
const newMessages = new Set(['message', 'channel_post', 'business_message']);
const editedMessages = new Set([
  'edited_message',
  'edited_channel_post',
  'edited_business_message',
]);
const deletion = 'deleted_business_messages';

interface AlbumWait {
  clock: Clock;
  /**
   * Returns since when, by the monotonic clock, the album that begins at this position is awaited.
   */
  waitingSince(position: number): number;
}

/**
 * The first `asideBefore` entries were set aside before; `isWhole` means that the log holds nothing
 * after the last entry.
 */
export async function planDecisions(
  deps: DecideDeps & MirrorDeps & AlbumWait,
  rules: Rules,
  bot: BotRecord,
  entries: readonly LogEntry[],
  isWhole: boolean,
  asideBefore = 0,
): Promise<Plan> {
  const plan: Plan = { decisions: [], upTo: 0, aside: [], waitMs: 0 };
  const inAlbum = new Set<number>();
  const waitingChats = new Set<string>();
  for (const [index, entry] of entries.entries()) {
    if (waitingChats.size > 0 && waitingChats.has(chatOf(entry))) {
      setAside(plan, entry);
      continue;
    }
    const deleted = deletionIn(bot, entry);
    if (deleted) {
      if (isDecidedIn(plan, deleted)) return plan;
      plan.decisions.push(await planDeletion(deps.decisions, entry, deleted));
    }
    const changed = await planForDesk(deps, rules.desks, bot, entry);
    if (changed) plan.decisions.push(changed);
    const wire = entry.claimedBy === answerClaim ? undefined : messageOf(entry);
    if (wire && !inAlbum.has(entry.position)) {
      const isEdit = editedMessages.has(entry.kind);
      const groupId = isEdit ? '' : text(wire.media_group_id);
      const waitMs = groupId === '' ? 0 : albumWaitOf(deps, entry);
      if (waitMs > 0) return { ...plan, waitMs };
      // The rest of the album may follow the batch: then the log is read again from here.
      const mayGoOn = index > asideBefore && !isWhole && reachesEnd(entry, entries);
      if (groupId !== '' && mayGoOn) return plan;
      const parts = groupId === '' ? [] : messageParts(wire, entries.slice(index + 1));
      const item = itemOf(bot, entry, wire, parts);
      if (item) {
        if (isEdit && isDecidedIn(plan, [keyOf(item)])) return plan;
        const { decision, withdrawn } = isEdit
          ? await decideEdit(deps, rules, item, entry.position)
          : { decision: await decide(deps, rules, item), withdrawn: [] };
        if (!decision) {
          waitingChats.add(chatOf(entry));
          setAside(plan, entry);
          continue;
        }
        const asked = isEdit ? '' : rules.matcher.asked;
        plan.decisions.push(planned(item, entry, { decision, withdrawn }, asked));
        for (const part of parts) {
          inAlbum.add(part.entry.position);
          plan.decisions.push(asPart(item, part, decision));
        }
      }
    }
    plan.upTo = entry.position;
  }
  return plan;
}

async function decideEdit(
  deps: DecideDeps & MirrorDeps,
  rules: Rules,
  item: RoutableItem,
  position: number,
): Promise<MirroredChange> {
  const wire = item.source.messages[0]?.wire ?? {};
  const topic = await topicOf(deps, rules.desks, item);
  if (topic && topic.chatId <= 0)
    return { decision: tellForgotten(deps, topic, item), withdrawn: [] };
  // The customer may have another topic since, or the desk is gone.
  const mayReach = ({ action, target_bot_id, target_chat_id }: MatchRecord) =>
    action !== 'answer' || (topic?.botId === target_bot_id && topic.chatId === target_chat_id);
  const mirrored = await mirrorEdit(deps, { ...keyOf(item), wire }, position, mayReach);
  const { decision, hasNewMedia = false } = mirrored;
  const act = editForDesk(deps, rules.desks.desk, item, hasNewMedia);
  // The customer keeps what the team wrote before it became a note.
  if (topic && decision.intents.length > 0 && item.text.startsWith('/')) {
    return { ...mirrored, decision: decisionWithoutSends('desk', reason('desk_note')) };
  }
  const intents = topic ? ofTeam(topic, item, decision.intents) : decision.intents;
  return { ...mirrored, decision: { ...decision, intents, act } };
}

/**
 * The time of receipt may come from another node's clock, or from a clock that was set back since.
 */
function albumWaitOf({ clock, waitingSince }: AlbumWait, entry: LogEntry): number {
  const leftMs = entry.receivedAt + albumWaitMs - clock.now();
  if (leftMs <= 0) return 0;
  return Math.min(leftMs, waitingSince(entry.position) + albumWaitMs - clock.monotonic());
}

/** A message decided in this plan must be stored before an edit of it is handled. */
function isDecidedIn({ decisions }: Plan, keys: readonly MessageKey[]): boolean {
  return decisions.some(({ decision }) =>
    keys.some(
      (key) =>
        key.messageId === decision.messageId &&
        key.chatId === decision.chatId &&
        key.connection === decision.connection,
    ),
  );
}

function reachesEnd(entry: LogEntry, entries: readonly LogEntry[]): boolean {
  return (entries.at(-1)?.receivedAt ?? 0) - entry.receivedAt < albumWaitMs;
}

export interface Part {
  entry: LogEntry;
  wire: Wire;
}

function setAside(plan: Plan, entry: LogEntry): void {
  plan.aside.push(entry);
  plan.upTo = entry.position;
}

/** Identifies the chat of a message, an edit or a deletion. */
function chatOf(entry: LogEntry): string {
  const wire = object((JSON.parse(entry.raw) as Wire)[entry.kind]) ?? {};
  return `${connectionOf(wire)} ${chatIn(wire) ?? ''}`;
}

function messageOf(entry: LogEntry): Wire | undefined {
  if (!newMessages.has(entry.kind) && !editedMessages.has(entry.kind)) return undefined;
  return object((JSON.parse(entry.raw) as Wire)[entry.kind]);
}

/** Finds the other parts of a message's album. */
export function messageParts(first: Wire, later: readonly LogEntry[]): Part[] {
  const groupId = text(first.media_group_id);
  const parts: Part[] = [];
  if (groupId === '') return parts;
  for (const entry of later) {
    // Most entries belong to no album, and a text search is far cheaper than parsing each of them.
    if (!newMessages.has(entry.kind) || !entry.raw.includes(groupId)) continue;
    const wire = messageOf(entry);
    if (!wire || text(wire.media_group_id) !== groupId) continue;
    if (chatIn(wire) === chatIn(first) && connectionOf(wire) === connectionOf(first)) {
      parts.push({ entry, wire });
    }
  }
  return parts;
}

function chatIn(wire: Wire): number | undefined {
  return integer(object(wire.chat)?.id);
}

/** Exported for decisions about a single stored update: by the model and the simulator. */
export function itemOf(
  bot: BotRecord,
  entry: Pick<LogEntry, 'position'>,
  wire: Wire,
  parts: readonly Part[] = [],
): RoutableItem | undefined {
  const facts = emptyFacts();
  addMessageFacts(facts, wire);
  const [fact] = facts.messages;
  const firstId = integer(wire.message_id);
  if (!fact || firstId === undefined) return undefined;
  const messages = [{ id: firstId, wire }];
  let caption = fact.text;
  for (const part of parts) {
    const id = integer(part.wire.message_id);
    if (id === undefined) continue;
    messages.push({ id, wire: part.wire });
    // The caption of an album may be on any of its parts.
    caption ||= text(part.wire.caption);
  }
  return {
    bot,
    position: entry.position,
    source: { botId: bot.id, connection: connectionOf(wire), chatId: fact.chatId, messages },
    userId: fact.userId,
    threadId: fact.threadId ?? undefined,
    text: caption,
    mediaType: fact.mediaType,
  };
}

function keyOf({ bot, source: { connection, chatId, messages } }: RoutableItem) {
  return { botId: bot.id, connection, chatId, messageId: messages[0]?.id ?? 0 };
}

/** Only bots of business accounts are told about deletions. */
function deletionIn(bot: BotRecord, entry: LogEntry): MessageKey[] | undefined {
  if (entry.kind !== deletion) return undefined;
  const wire = object((JSON.parse(entry.raw) as Wire)[entry.kind]);
  const chatId = wire && chatIn(wire);
  if (!wire || chatId === undefined || !Array.isArray(wire.message_ids)) return undefined;
  const connection = connectionOf(wire);
  const keys = wire.message_ids
    .map(integer)
    .filter((messageId) => messageId !== undefined)
    .map((messageId) => ({ botId: bot.id, connection, chatId, messageId }));
  return keys.length === 0 ? undefined : keys;
}

async function planDeletion(
  decisions: MirrorDeps['decisions'],
  entry: LogEntry,
  deleted: readonly MessageKey[],
): Promise<PlannedDecision> {
  const { decision, withdrawn } = await mirrorDeletion(decisions, deleted, entry.position);
  const first = deleted[0] as MessageKey;
  return {
    decision: {
      ...first,
      position: entry.position,
      updateId: entry.updateId,
      userId: 0,
      outcome: decision.outcome,
      reason: decision.reason,
      asked: '',
      matched: JSON.stringify(decision.matched),
    },
    intents: decision.intents,
    droppedBy: [],
    withdrawn,
  };
}

function planned(
  item: RoutableItem,
  entry: LogEntry,
  { decision, withdrawn }: MirroredChange,
  asked: string,
): PlannedDecision {
  const byRules = ['routed', 'dropped', 'none', 'asking', 'desk'].includes(decision.outcome);
  return {
    decision: {
      ...decisionKey(item, entry),
      messageId: item.source.messages[0]?.id ?? 0,
      outcome: decision.outcome,
      reason: decision.reason,
      asked: byRules ? asked : '',
      matched: JSON.stringify(decision.matched),
    },
    intents: decision.intents,
    act: decision.act,
    changes: decision.changes,
    droppedBy: byRules
      ? decision.matched.flatMap((match) =>
          match.result === 'dropped' && match.route_id > 0 ? match.route_id : [],
        )
      : [],
    withdrawn,
  };
}

function asPart(
  item: RoutableItem,
  { entry, wire }: Part,
  decision: RoutingDecision,
): PlannedDecision {
  return {
    decision: {
      ...decisionKey(item, entry),
      messageId: integer(wire.message_id) ?? 0,
      outcome: 'album',
      reason: reason('with_album', { position: item.position }),
      asked: '',
      matched: JSON.stringify(decision.matched.map(asMatchOfPart)),
    },
    intents: [],
    droppedBy: [],
    withdrawn: [],
  };
}

function decisionKey({ bot, source, userId }: RoutableItem, { position, updateId }: LogEntry) {
  const { connection, chatId } = source;
  return { botId: bot.id, position, updateId, connection, chatId, userId };
}

/** Only the first part carries the line that names the sender. */
export function asMatchOfPart(match: MatchRecord): MatchRecord {
  return match.action === 'forward' ? { ...match, action: 'copy' } : match;
}
