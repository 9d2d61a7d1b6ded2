import type { AuditEntry } from '../../api/audit.ts';
import { shortened } from '../../ui/text/shortened.ts';

const longest = 60;

/** The field with the name of a subject that is neither a bot nor a chat nor a person. */
const fields: [action: RegExp, field: string][] = [
  [/^auth\.api-keys\./, 'name'],
  [/^bots\.apps\./, 'name'],
  [/^bots\.readers\.rewind/, 'reader'],
  [/^bots\.readers\.remove/, 'consumer'],
  [/^auth\.users\./, 'username'],
  [/^routes\./, 'description'],
  [/^tags\./, 'tag'],
];

/** The action; where one action goes both ways, which of the two it was. */
export function auditAction(
  { action, after }: Pick<AuditEntry, 'action' | 'after'>,
  words: Record<string, string>,
): string | undefined {
  const disabled = (after as { disabled?: unknown } | null | undefined)?.disabled;
  const way = disabled === true ? 'off' : disabled === false ? 'on' : '';
  return words[`${action} ${way}`] ?? words[action];
}

/** The key, app, reader, user, route or tag; '' where it is unknown. */
export function auditSubject(
  entry: Pick<AuditEntry, 'action' | 'after' | 'before' | 'input'>,
): string {
  const field = fields.find(([action]) => action.test(entry.action))?.[1];
  if (field === undefined) return '';
  for (const part of [entry.after, entry.before, entry.input]) {
    const value = (part as Record<string, unknown> | null | undefined)?.[field];
    if (typeof value === 'string' && value !== '') return shortened(value, longest);
  }
  return '';
}
