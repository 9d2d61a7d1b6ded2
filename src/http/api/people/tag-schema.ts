import { Type } from 'typebox';
import { colorPattern, defaultColor } from '../../../core/color.ts';
import { limits } from '../../../core/limits.ts';
import { linePattern } from '../../../core/people/plain-text.ts';
import { Body, ChatId, Id, stated, UserId } from '../../schemas.ts';

export const AddTagBody = Body(
  {
    chat_id: ChatId('Chat to tag the user in.'),
    user_id: UserId('User to tag.'),
    tag: Type.String({
      minLength: 1,
      maxLength: limits.tagLength,
      pattern: linePattern,
      description: 'Tag label.',
      examples: ['vip'],
    }),
    bot_id: Type.Optional(
      Id('The bot that the tag belongs to. Keys limited to other bots do not see the tag.'),
    ),
    username: Type.Optional(
      Type.String({
        maxLength: limits.usernameLength,
        pattern: linePattern,
        description: 'Username at the time of tagging. Default: the one last seen.',
        examples: ['ann'],
      }),
    ),
    color: Type.Optional(
      Type.String({
        maxLength: limits.colorLength,
        description: `Tag color, hex or CSS color name; ${defaultColor} unless the tag is there already.`,
        examples: ['#ff8800'],
        ...stated({ pattern: colorPattern }),
      }),
    ),
  },
  ['id', 'created_at'],
);

export const Tag = Type.Object(
  {
    id: Id('Tag record ID.'),
    chat_id: Type.Integer({
      description: 'Chat the tag belongs to.',
      examples: [-1001234567890],
    }),
    user_id: Type.Integer({ description: 'User the tag is assigned to.', examples: [123456789] }),
    username: Type.String({ description: 'Username at the time of tagging.', examples: ['ann'] }),
    tag: Type.String({ description: 'Tag label text.', examples: ['vip'] }),
    color: Type.String({
      description: 'Tag color, hex or CSS color name.',
      examples: ['#ff8800'],
    }),
    created_at: Type.String({
      format: 'date-time',
      description: 'Creation time, ISO 8601.',
      examples: ['2026-01-31T12:00:00.000Z'],
    }),
  },
  { additionalProperties: false },
);
