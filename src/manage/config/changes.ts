import { type EntryKind, sectionOf } from '../../core/config-file/document.ts';
import { type Reason, reason, reasonFrom } from '../../core/reasons/reason.ts';
import { invalidField, RelayError } from '../../errors.ts';

type Named = { kind: EntryKind; name: string };

function pathOf({ kind, name }: Named, field: string): string {
  const section = sectionOf[kind];
  const entry = kind === 'model' ? section : `${section}[${name}]`;
  return field === '' ? entry : `${entry}.${field}`;
}

export function wrongEntry(
  entry: Named,
  field: string,
  problem: Reason,
  code: RelayError['code'] = 'invalid_request',
): RelayError {
  const place = pathOf(entry, field);
  return new RelayError(code, reason('field_wrong', { field: place, problem }), {
    details: [{ field: place, problem }],
  });
}

/** Adds the entry to the error of the work. */
export async function checked<T>(entry: Named, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof RelayError)) throw error;
    const [first] = error.details ?? [];
    const problem = first?.problem
      ? reasonFrom({ code: first.reason_code, params: first.params, text: first.problem })
      : error.reason;
    throw wrongEntry(entry, first?.field ?? '', problem, error.code);
  }
}

const secretPattern = '^[A-Za-z0-9_-]*$';

export function checkSecret({ secret_token: secret = '' }: { secret_token?: string }): void {
  if (!new RegExp(secretPattern).test(secret)) {
    throw invalidField('secret_token', reason('wrong_form', { pattern: secretPattern }));
  }
}

export function pick<T extends object>(from: T, names: readonly string[]): Partial<T> {
  return Object.fromEntries(
    Object.entries(from).filter(([name]) => names.includes(name)),
  ) as Partial<T>;
}

export const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
