import { useState } from 'react';
import { ApiError } from '../api/client/error.ts';

/** Returns why the service rejected a form, without the fields that changed since. */
export function useFormError(error: unknown, values: object): unknown {
  const [rejected, setRejected] = useState({ error, values });
  if (rejected.error !== error) setRejected({ error, values });
  if (rejected.error !== error || !(error instanceof ApiError)) return error;
  const isSame = (field: string) => valueAt(rejected.values, field) === valueAt(values, field);
  if (error.details.length === 0) return isSame('') ? error : null;
  const details = error.details.filter(({ field = '' }) => isSame(field));
  if (details.length === error.details.length) return error;
  return details.length === 0 ? null : error.withDetails(details);
}

/** Returns the value of a field such as quiet_hours.start or bot_ids[0]; '' stands for the whole form. */
function valueAt(values: object, field: string): string | undefined {
  let value: unknown = values;
  for (const name of field.match(/[^.[\]]+/g) ?? []) {
    if (typeof value !== 'object' || value === null) break;
    value = (value as Record<string, unknown>)[name];
  }
  return JSON.stringify(value);
}
