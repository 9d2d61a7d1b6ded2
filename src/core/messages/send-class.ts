/*
 * Kinds of sends, each with its own sending limits, so that an answer which an app streams by edits or
 * drafts does not hold up the messages of others.
 */
export type SendClass = 'message' | 'edit' | 'draft';

export function sendClassOf(method: string): SendClass {
  if (/^send\w*draft$/i.test(method)) return 'draft';
  return /^edit/i.test(method) ? 'edit' : 'message';
}

/** What a 429 holds up: after too many edits Telegram refuses messages too, after drafts it does not. */
export function heldWith(sendClass: SendClass): readonly SendClass[] {
  return sendClass === 'draft' ? ['draft'] : ['message', 'edit'];
}
