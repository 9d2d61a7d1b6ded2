import { counted } from './counted.ts';

/** Texts that a team answers with again and again. */
export const replies = {
  title: 'Saved replies',
  hint: 'Write, or / for replies',
  none: 'No saved replies yet.',
  noMatch: 'No saved reply matches.',
  manage: 'Manage saved replies…',
  add: 'Add reply',
  saved: 'Reply saved.',
  deleted: 'Reply deleted.',
  used: (count: number) => `used ${counted(count, 'time')}`,
  name: 'Name',
  nameHint: 'Type / and this name in a chat.',
  text: 'Text',
  textHint: (names: string) => `Filled in for you: ${names}`,
  onlyFor: (bot: string) => `Only for ${bot}`,
};
