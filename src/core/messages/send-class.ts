/*
 * Kinds of sends, each with its own sending limits, so that a response which an app streams by
 * edits or drafts does not delay the messages of others.
 */
export type SendClass = 'message' | 'edit' | 'draft';

export function sendClassOf(method: string): SendClass {
  if (/^send\w*draft$/i.test(method)) return 'draft';
  return /^edit/i.test(method) ? 'edit' : 'message';
}

/**
 * The classes that a 429 delays: after too many edits Telegram refuses messages too, after drafts
 * it does not.
 */
export function heldWith(sendClass: SendClass): readonly SendClass[] {
  return sendClass === 'draft' ? ['draft'] : ['message', 'edit'];
}
