import { colorPattern, defaultColor } from '../../../core/color.ts';
import { limits } from '../../../core/limits.ts';
import { linePattern } from '../../../core/people/plain-text.ts';
import {
  Body,
  ChatId,
  Closed,
  Id,
  Integer,
  Optional,
  stated,
  Text,
  UserId,
} from '../../schemas.ts';

export const AddTagBody = Body(
  {
    chat_id: ChatId('Chat to tag the user in.'),
    user_id: UserId('User to tag.'),
    tag: Text('Tag label.', 'vip', {
      minLength: 1,
      maxLength: limits.tagLength,
      pattern: linePattern,
    }),
    bot_id: Optional.Id(
      'The bot that the tag belongs to. Keys limited to other bots do not see the tag.',
    ),
    username: Optional.Text('Username at the time of tagging. Default: the one last seen.', 'ann', {
      maxLength: limits.usernameLength,
      pattern: linePattern,
    }),
    color: Optional.Text(
      `Tag color, hex or CSS color name; ${defaultColor} unless the tag is there already.`,
      '#ff8800',
      { maxLength: limits.colorLength, ...stated({ pattern: colorPattern }) },
    ),
  },
  ['id', 'created_at'],
);

export const Tag = Closed({
  id: Id('Tag record ID.'),
  chat_id: Integer('Chat the tag belongs to.', -1001234567890),
  user_id: Integer('User the tag is assigned to.', 123456789),
  username: Text('Username at the time of tagging.', 'ann'),
  tag: Text('Tag label text.', 'vip'),
  color: Text('Tag color, hex or CSS color name.', '#ff8800'),
  created_at: Text('Creation time, ISO 8601.', '2026-01-31T12:00:00.000Z', {
    format: 'date-time',
  }),
});
