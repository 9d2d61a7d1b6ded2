import type { Reader } from '../../../api/readers.ts';
import type { Messages } from '../../../i18n/messages.ts';

/** Returns the label of a reader: its own name, or that of its kind. */
export function readerName({ kind, name }: Reader, { deliveries }: Messages): string {
  return name === '' ? deliveries.kinds[kind] : name;
}
