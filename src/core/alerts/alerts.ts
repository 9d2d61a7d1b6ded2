import type { Reason } from '../reasons/reason.ts';
import {
  type AlertAction,
  type AlertKindFacts,
  type AlertParams,
  severities,
  type Severity,
} from './kinds/alert-kind.ts';
import { backendKinds } from './kinds/backends.ts';
import { botKinds } from './kinds/bots.ts';
import { readerAlertKinds } from './kinds/readers.ts';
import { sendKinds } from './kinds/sends.ts';
import { serviceKinds } from './kinds/service.ts';

export {
  type AlertAction,
  alertActions,
  type AlertCause,
  type AlertParams,
  severities,
  type Severity,
} from './kinds/alert-kind.ts';

/** All that tells one kind of alert from another. */
export const alertKinds = {
  ...botKinds,
  ...backendKinds,
  ...readerAlertKinds,
  ...sendKinds,
  ...serviceKinds,
} as const;

export type AlertKind = keyof typeof alertKinds;

export const kindOf = (kind: AlertKind): AlertKindFacts => alertKinds[kind];

/** The kinds, the most severe first. */
export const alertKindNames = (Object.keys(alertKinds) as AlertKind[]).toSorted(
  (left, right) => urgencyOf(right) - urgencyOf(left),
);

function urgencyOf(kind: AlertKind): number {
  return severities.indexOf(alertKinds[kind].severity);
}

const rankOf = new Map(alertKindNames.map((kind, rank) => [kind, rank]));

/** Sorts alerts: the most severe kinds first, within a kind those that count most. */
export function byUrgency(
  left: Pick<Condition, 'kind' | 'botId' | 'params'>,
  right: Pick<Condition, 'kind' | 'botId' | 'params'>,
): number {
  return (
    (rankOf.get(left.kind) ?? 0) - (rankOf.get(right.kind) ?? 0) ||
    (right.params.count ?? 0) - (left.params.count ?? 0) ||
    left.botId - right.botId
  );
}

/** Sorts alerts for the people on call: the most severe first, then those that last longest. */
export function bySeverityAndAge(
  left: Pick<Condition, 'kind' | 'botId' | 'params' | 'since'>,
  right: Pick<Condition, 'kind' | 'botId' | 'params' | 'since'>,
): number {
  const { since: leftSince = Number.MAX_SAFE_INTEGER } = left;
  const { since: rightSince = Number.MAX_SAFE_INTEGER } = right;
  return (
    urgencyOf(right.kind) - urgencyOf(left.kind) || leftSince - rightSince || byUrgency(left, right)
  );
}

/** The kinds that this action helps with. */
export const kindsWith = (action: AlertAction): AlertKind[] =>
  alertKindNames.filter((kind) => kindOf(kind).action === action);

/** A value for each kind. */
export const perAlertKind = <T>(valueOf: (facts: AlertKindFacts) => T): Record<AlertKind, T> =>
  Object.fromEntries(alertKindNames.map((kind) => [kind, valueOf(alertKinds[kind])])) as Record<
    AlertKind,
    T
  >;

/** The parts of a condition that only keys that may change a bot see, with unmasked addresses. */
export interface Evidence {
  /** The last error, why a message was refused, or the address of a backend. */
  text: string;
  textDetail?: Reason;
  /** Why the last delivery to a backend or its last check failed; '' if unknown. */
  reason?: string;
  reasonDetail?: Reason;
  /** When that was, in milliseconds since the epoch; 0 if unknown. */
  seenAt?: number;
}

/** A problem that exists at the moment. An alert is the record of one, with a beginning and an end. */
export interface Condition {
  kind: AlertKind;
  /** 0 for the service itself. */
  botId: number;
  /** Tells conditions of one kind and bot apart: a reader, a route, a node. */
  subject: string;
  params: AlertParams;
  /** Milliseconds since the epoch; left out where only the time of its discovery is known. */
  since?: number;
  evidence?: Evidence;
}

/** The same key for everything that is known about one condition. */
export const conditionKey = ({
  kind,
  botId,
  subject,
}: Pick<Condition, 'kind' | 'botId' | 'subject'>): string => JSON.stringify([kind, botId, subject]);

export interface Alert extends Omit<Condition, 'since' | 'evidence'> {
  id: number;
  severity: Severity;
  /** When its condition began or, for an alert that came back, when it came back. */
  openedAt: number;
  changedAt: number;
  /** 0 while it is open. */
  resolvedAt: number;
  /** How often it came back within minutes. */
  occurrences: number;
  mutedUntil: number;
  /** The name of the person or key that muted it last; '' if nobody did. */
  mutedBy: string;
  /** This person takes care of it; '' if nobody does. It ends when the alert comes back. */
  acknowledgedBy: string;
  acknowledgedAt: number;
  /** The action that somebody took last; '' if nobody did since it opened. */
  acted: AlertAction | '';
  actedBy: string;
  actedAt: number;
  /** Grows with each change. */
  version: number;
}

/** An alert that nobody took care of. */
export const unhandled = {
  mutedUntil: 0,
  mutedBy: '',
  acknowledgedBy: '',
  acknowledgedAt: 0,
  acted: '',
  actedBy: '',
  actedAt: 0,
} as const satisfies Partial<Alert>;

export type AlertEvent = 'alert.opened' | 'alert.changed' | 'alert.resolved';

/** Returns the English sentence of an alert, with the name of its bot. */
export function alertText({
  kind,
  params,
  resolvedAt = 0,
}: Pick<Condition, 'kind' | 'params'> & { resolvedAt?: number }): string {
  const { past, present } = kindOf(kind);
  const sentence = (resolvedAt === 0 ? present : past)(params);
  return params.bot === undefined ? sentence : `${params.bot}: ${sentence}`;
}
