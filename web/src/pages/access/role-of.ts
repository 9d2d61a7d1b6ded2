import type { User } from '../../api/client/types.ts';

/** `user` is the older name of `manager`, which nobody chooses. */
export type ChosenRole = Exclude<User['role'], 'user'>;

export const roleOf = ({ role }: Pick<User, 'role'>): ChosenRole =>
  role === 'user' ? 'manager' : role;
