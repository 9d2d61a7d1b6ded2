import type { Reader } from '../../../api/readers.ts';
import type { Messages } from '../../../i18n/messages.ts';

/** What a reader is called: by its own name, or by what it does. */
export function readerName({ kind, name }: Reader, { deliveries }: Messages): string {
  return name === '' ? deliveries.kinds[kind] : name;
}
