import { Type } from 'typebox';
import { addUser } from '../world/people.ts';
import { action } from './action.ts';
import { blockBot } from './block.ts';
import { Bot, Flag, Matching, Name, user } from './fields.ts';
import { setProfilePhoto } from './media.ts';
import { chatsOf } from './show.ts';
import { freeUsername } from './usernames.ts';

export const peopleActions = {
  'users/create': action({
    summary: 'Add a person',
    fields: {
      first_name: Type.Optional(Name('First name.', 64, 'Ben')),
      last_name: Type.Optional(Name('Last name.')),
      username: Type.Optional(Matching('^[A-Za-z][A-Za-z0-9_]{2,31}$', 'Username.', 'ben')),
      language_code: Type.Optional(Name('Language code, such as en.', 8)),
      is_premium: Flag('Has Telegram Premium.'),
      bio: Type.Optional(Name('Bio.', 140)),
    },
    refusals: ['name_taken'],
    run: ({ world }, given) =>
      addUser(world, { ...given, username: freeUsername(world, given.username) }),
  }),
  'users/chats': action({
    reads: true,
    summary: 'List chats of a person',
    fields: { user },
    run: ({ world }, given) => chatsOf(world, given.user),
  }),
  'users/photo': action({
    summary: 'Set a profile photo',
    fields: { user },
    run: ({ world }, given) => setProfilePhoto(world, given.user),
  }),
  'users/block-bot': action({
    summary: 'Block or unblock a bot',
    fields: { user, bot: Bot(), blocked: Flag('Default: true.') },
    run: ({ world }, given) => blockBot(world, given.user, given.bot, given.blocked),
  }),
};
