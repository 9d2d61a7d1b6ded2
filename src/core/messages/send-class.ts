/*
 * Kinds of sends, each with its own sending limits, so that a response which an app streams by
 * edits or drafts does not delay the messages of others.
 */
/** Sends of earlier ones go first: what somebody waits for, the rest, broadcasts. */
export const sendPriorities = ['interactive', 'bulk', 'broadcast'] as const;
export type SendPriority = (typeof sendPriorities)[number];

export type SendClass = 'message' | 'edit' | 'draft' | 'topic';

export function sendClassOf(method: string): SendClass {
  if (/^send\w*draft$/i.test(method)) return 'draft';
  if (/^createforumtopic$/i.test(method)) return 'topic';
  return /^edit/i.test(method) ? 'edit' : 'message';
}

/**
 * The classes that a 429 delays: after too many edits Telegram refuses messages too, after drafts
 * and new topics it does not.
 */
export function heldWith(sendClass: SendClass): readonly SendClass[] {
  return sendClass === 'draft' || sendClass === 'topic' ? [sendClass] : ['message', 'edit'];
}

/** What pacing tells apart: deletions wait without being counted, `action` is "typing" and the like. */
export type PacedClass = Exclude<SendClass, 'topic'> | 'delete' | 'action';

/** Undefined for the many methods that pacing never holds: answers to queries, and all that only asks. */
export function pacedClassOf(method: string): PacedClass | undefined {
  if (/^sendchataction$/i.test(method)) return 'action';
  if (/^deletemessages?$/i.test(method)) return 'delete';
  return /^(?:send(?!chatjoinrequest)|copymessage|forwardmessage|edit(?:ephemeral)?message)/i.test(
    method,
  )
    ? (sendClassOf(method) as Exclude<SendClass, 'topic'>)
    : undefined;
}

/** Calls of these classes show something for seconds, so they are left out rather than held. */
export const isPassing = (pacedClass: PacedClass): boolean =>
  pacedClass === 'action' || pacedClass === 'draft';
