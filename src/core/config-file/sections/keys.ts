import type { Scope } from '../../access/access.ts';
import { type FileSection, type GivenEntry, sortedIds } from '../file-section.ts';

export interface KeyInFile {
  name: string;
  key?: string;
  scope?: Scope;
  /** A key without this list may use every bot. */
  bots?: readonly number[];
  /** ISO 8601; '' for a key that never expires. */
  expires_at?: string;
  disabled?: boolean;
}

const keyDefaults = { scope: 'read' as Scope, expires_at: '', disabled: false };

export const keys: FileSection<readonly KeyInFile[], GivenEntry<'key', KeyInFile>> = {
  entries: (part) =>
    part.map((given) => {
      const { name, bots, ...fields } = given;
      const limited = bots ? sortedIds(bots) : null;
      return { kind: 'key', name, fields: { ...keyDefaults, ...fields, bots: limited }, given };
    }),
  withChats: (part) => part,
  written: (part, writer) =>
    part.map(({ name, ...key }) => ({
      name,
      key: writer.variable('KEY', name),
      ...writer.settings(key, keyDefaults),
    })),
};
