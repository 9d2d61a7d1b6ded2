import { Type } from 'typebox';
import { limits } from '../../../core/limits.ts';
import { linePattern } from '../../../core/people/plain-text.ts';
import { Body, Closed, Id, Integer, largestId, Moment, Optional, Text } from '../../schemas.ts';

const fields = {
  name: Text('Name, unique for its bot.', 'refund', {
    minLength: 1,
    maxLength: limits.replyNameLength,
    pattern: linePattern,
  }),
  text: Text(
    'The text. The web UI fills in `{first_name}`, `{last_name}`, `{username}`, `{chat}`, `{bot}` and `{me}`.',
    'Hello {first_name}, the refund is on its way.',
    { minLength: 1, maxLength: limits.messageLength },
  ),
  bot_id: Optional.Integer('The bot that it is for; 0 for all bots.', 1, {
    minimum: 0,
    maximum: largestId,
    default: 0,
  }),
};
const readOnly = ['uses', 'last_used_at', 'created_at', 'updated_at'];

export const AddReplyBody = Body(fields, ['id', ...readOnly]);

export const UpdateReplyBody = Body(
  {
    id: Id('Saved reply.'),
    name: Type.Optional(fields.name),
    text: Type.Optional(fields.text),
    bot_id: Optional.Integer('The bot that it is for; 0 for all bots.', 1, {
      minimum: 0,
      maximum: largestId,
    }),
  },
  readOnly,
);

export const SavedReply = Closed({
  id: Id('Saved reply ID.'),
  bot_id: Integer('The bot that it is for; 0 for all bots.', 1),
  name: Text('Name.', 'refund'),
  text: Text('The text, with its placeholders.', 'Hello {first_name}, the refund is on its way.'),
  uses: Integer('How often it was used.', 12),
  last_used_at: Moment('When it was last used; "" for never.'),
  created_at: Moment('Creation time.'),
  updated_at: Moment('Time of the last change.'),
});
