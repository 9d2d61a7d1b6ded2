import type { Role } from '../../access/access.ts';
import { normalName } from '../../access/username.ts';
import { type FileSection, type GivenEntry, sortedIds } from '../file-section.ts';

export interface UserInFile {
  username: string;
  /** A new user needs it; others keep theirs. */
  password?: string;
  role?: Role;
  bots?: readonly number[];
  disabled?: boolean;
  /** 0 for none; left out, it stays. */
  telegram_user_id?: number;
}

const userDefaults = {
  role: 'user' as Role,
  bots: [] as readonly number[],
  disabled: false,
};

export const users: FileSection<readonly UserInFile[], GivenEntry<'user', UserInFile>> = {
  entries: (part) =>
    part.map((given) => {
      const { username, password: _password, ...fields } = given;
      const settings = { ...userDefaults, ...fields };
      const bots = settings.role === 'admin' ? [] : sortedIds(settings.bots);
      return { kind: 'user', name: normalName(username), fields: { ...settings, bots }, given };
    }),
  withChats: (part) => part,
  written: (part, writer) =>
    part.map(({ username, ...user }) => ({
      username,
      password: writer.variable('USER', username, 'PASSWORD'),
      ...writer.settings(user, { ...userDefaults, telegram_user_id: 0 }),
    })),
};
