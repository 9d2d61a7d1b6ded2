import type { AuditEntry } from '../../api/audit.ts';
import { shortened } from '../../ui/text/shortened.ts';

const longest = 60;

/** The field that names a subject which is neither a bot nor a chat nor a person. */
const fields: [action: RegExp, field: string][] = [
  [/^auth\.api-keys\./, 'name'],
  [/^bots\.apps\./, 'name'],
  [/^bots\.readers\.rewind/, 'reader'],
  [/^bots\.readers\.remove/, 'consumer'],
  [/^auth\.users\./, 'username'],
  [/^routes\./, 'description'],
  [/^replies\./, 'name'],
  [/^tags\./, 'tag'],
];

/** Returns the action; if one action goes both ways, which of the two it was. */
export function auditAction(
  { action, after }: Pick<AuditEntry, 'action' | 'after'>,
  words: Record<string, string>,
): string | undefined {
  const disabled = (after as { disabled?: unknown } | null | undefined)?.disabled;
  const way = disabled === true ? 'off' : disabled === false ? 'on' : '';
  return words[`${action} ${way}`] ?? words[action];
}

/** Returns the key, app, reader, user, route or tag; '' if unknown. */
export function auditSubject(
  entry: Pick<AuditEntry, 'action' | 'after' | 'before' | 'input'>,
): string {
  if (entry.action === 'import') return shortened(importedNames(entry.input), longest);
  const field = fields.find(([action]) => action.test(entry.action))?.[1];
  if (field === undefined) return '';
  for (const part of [entry.after, entry.before, entry.input]) {
    const value = (part as Record<string, unknown> | null | undefined)?.[field];
    if (typeof value === 'string' && value !== '') return shortened(value, longest);
  }
  return '';
}

/** Returns the bots and users of a portion; a bot of its history is named by the entry itself. */
function importedNames(input: unknown): string {
  const { bots, users } = (input ?? {}) as Record<string, unknown>;
  return [bots, users]
    .flatMap((part) => (Array.isArray(part) ? (part as Record<string, unknown>[]) : []))
    .map(({ name, username }) => name ?? username)
    .filter((name) => typeof name === 'string' && name !== '')
    .join(', ');
}
