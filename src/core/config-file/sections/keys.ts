import type { Scope } from '../../access/access.ts';
import { type FileSection, type GivenEntry, sortedIds } from '../file-section.ts';

export interface KeyInFile {
  name: string;
  key?: string;
  scope?: Scope;
  /** A key without this list may use every bot. */
  bots?: readonly number[];
  /** Chat IDs; a key without the list may use every chat. */
  read_chats?: readonly number[];
  write_chats?: readonly number[];
  /** 0 for any number. */
  daily_writes?: number;
  /** ISO 8601; '' for a key that never expires. */
  expires_at?: string;
  disabled?: boolean;
}

const keyDefaults = { scope: 'read' as Scope, daily_writes: 0, expires_at: '', disabled: false };

export const keys: FileSection<readonly KeyInFile[], GivenEntry<'key', KeyInFile>> = {
  entries: (part) =>
    part.map((given) => {
      const { name, bots, read_chats, write_chats, ...fields } = given;
      const lists = {
        bots: bots ? sortedIds(bots) : null,
        read_chats: read_chats ? sortedIds(read_chats) : null,
        write_chats: write_chats ? sortedIds(write_chats) : null,
      };
      return { kind: 'key', name, fields: { ...keyDefaults, ...fields, ...lists }, given };
    }),
  withChats: (part, idOf) =>
    part.map(({ read_chats, write_chats, ...key }) => ({
      ...key,
      ...(read_chats ? { read_chats: read_chats.map(idOf) } : {}),
      ...(write_chats ? { write_chats: write_chats.map(idOf) } : {}),
    })),
  written: (part, writer) =>
    part.map(({ name, ...key }) => ({
      name,
      key: writer.variable('KEY', name),
      ...writer.settings(key, keyDefaults),
    })),
};
