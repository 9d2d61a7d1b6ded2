/* Repeats an edit or a deletion wherever the message went. */
import { sendableMedia } from '../../core/messages/send-call.ts';
import { reason } from '../../core/reasons/reason.ts';
import { object, text, type Wire } from '../../core/log/wire.ts';
import type { Decision, DecisionRepository } from '../../store/routing/decisions.ts';
import type { LogRepository } from '../../store/log/log.ts';
import type { MessageKey } from '../../store/routing/message-pairs.ts';
import type { OutboxIntent } from '../../store/outbox/outbox.ts';
import { buildRoutedDeletion, buildRoutedEdit } from './build-routed-send.ts';
import { messageAt } from './message-at.ts';
import {
  keysOf,
  matchReason,
  type MatchRecord,
  type RoutingDecision,
  decisionWithoutSends,
} from './routing-decision.ts';

/** A decision, and the positions whose open question to the model it settles. */
export interface MirroredChange {
  decision: RoutingDecision;
  withdrawn: number[];
  /** True for an edit that shows another file. */
  hasNewMedia?: boolean;
}

const forwardedOutcomes = new Set(['routed', 'returned', 'album', 'desk']);

export interface MirrorDeps {
  decisions: Pick<DecisionRepository, 'ofMessage'>;
  log: Pick<LogRepository, 'read'>;
}

export async function mirrorEdit(
  { decisions, log }: MirrorDeps,
  message: MessageKey & { wire: Wire },
  position: number,
  mayReach: (match: MatchRecord) => boolean,
): Promise<MirroredChange> {
  const earlier = await decisions.ofMessage(message);
  const asking = positionsOf(earlier, 'asking');
  if (asking.length > 0) {
    const why = reason('edited_while_asked');
    return { decision: decisionWithoutSends('asking', why), withdrawn: asking };
  }
  const matched: MatchRecord[] = [];
  const intents: OutboxIntent[] = [];
  const before = earlier.findLast(
    ({ outcome }) => forwardedOutcomes.has(outcome) || outcome === 'edited',
  );
  const hasNewMedia = before !== undefined && (await isOtherFile(log, before, message.wire));
  for (const { match } of forwardedBy(earlier)) {
    if (!mayReach(match)) continue;
    const target = targetOf(match);
    const intent = buildRoutedEdit(
      { ...message, hasNewMedia },
      { ...target, style: match.action },
      keyOf('edit', match, message.botId, position),
    );
    if (!intent) continue;
    intents.push(intent);
    matched.push({
      ...match,
      ...matchReason(reason('message_edited')),
      intents: keysOf([intent]),
    });
  }
  const done: RoutingDecision =
    intents.length === 0
      ? decisionWithoutSends('none', reason('edit_not_carried'))
      : { outcome: 'edited', reason: reason('edit_carried'), matched, intents };
  return { decision: done, withdrawn: [], hasNewMedia };
}

export async function mirrorDeletion(
  decisions: Pick<DecisionRepository, 'ofMessage'>,
  messages: readonly MessageKey[],
  position: number,
): Promise<MirroredChange> {
  const matched: MatchRecord[] = [];
  const intents: OutboxIntent[] = [];
  const withdrawn: number[] = [];
  for (const message of messages) {
    const earlier = await decisions.ofMessage(message);
    withdrawn.push(...positionsOf(earlier, 'asking'));
    for (const { match, isPart } of forwardedBy(earlier)) {
      const key = keyOf('delete', match, message.botId, position, message.messageId);
      // The line that precedes the message is deleted with it.
      const parts = match.intents.length > 1 && !isPart ? [false, true] : [false];
      const made = parts.map((isHeader) =>
        buildRoutedDeletion(
          message,
          { ...targetOf(match), isHeader },
          isHeader ? `${key}:header` : key,
        ),
      );
      intents.push(...made);
      const why = reason('message_deleted', { message_id: message.messageId });
      matched.push({ ...match, ...matchReason(why), intents: keysOf(made) });
    }
  }
  if (intents.length > 0) {
    const why = reason('deletion_carried');
    return { decision: { outcome: 'deleted', reason: why, matched, intents }, withdrawn };
  }
  const why =
    withdrawn.length > 0 ? reason('deleted_before_choice') : reason('deletion_not_carried');
  return { decision: decisionWithoutSends('none', why), withdrawn };
}

/** True if a message shows another file than at its last decision. */
async function isOtherFile(
  log: Pick<LogRepository, 'read'>,
  { botId, position }: Decision,
  wire: Wire,
): Promise<boolean> {
  const now = fileOf(wire);
  if (now === '') return false;
  const before = await messageAt(log, botId, position);
  // A message that retention deleted cannot be compared, and most edits only change the text.
  return before !== undefined && fileOf(before.wire) !== now;
}

function fileOf(message: Wire | undefined): string {
  const kind = Object.keys(sendableMedia).find((name) => message?.[name] !== undefined);
  const file = kind === undefined ? undefined : message?.[kind];
  return text(object(Array.isArray(file) ? file.at(-1) : file)?.file_unique_id);
}

function* forwardedBy(
  earlier: readonly Decision[],
): Generator<{ match: MatchRecord; isPart: boolean }> {
  for (const { outcome, matched } of earlier) {
    if (!forwardedOutcomes.has(outcome)) continue;
    for (const match of JSON.parse(matched) as MatchRecord[]) {
      // What goes to a desk waits there for what was said before.
      if (match.intents.length > 0 && match.action !== 'desk')
        yield { match, isPart: outcome === 'album' };
    }
  }
}

function positionsOf(earlier: readonly Decision[], outcome: string): number[] {
  return earlier.filter((one) => one.outcome === outcome).map((one) => one.position);
}

function targetOf(match: MatchRecord) {
  return {
    botId: match.target_bot_id,
    connection: match.target_connection ?? '',
    chatId: match.target_chat_id,
    routeId: match.route_id,
  };
}

function keyOf(
  verb: string,
  match: MatchRecord,
  botId: number,
  position: number,
  messageId?: number,
): string {
  const what = messageId === undefined ? [position] : [position, messageId];
  const where = [match.target_bot_id, match.target_chat_id];
  return [verb, match.route_id, botId, ...what, ...where].join(':');
}
