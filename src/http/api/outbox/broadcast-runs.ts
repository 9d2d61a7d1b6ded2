import type { BroadcastService } from '../../../manage/outbox/broadcasts.ts';
import { type Endpoint, post } from '../../endpoint.ts';
import { Body, Integer, Optional } from '../../schemas.ts';
import { id, managing, platformErrors } from './broadcast-schemas.ts';
import { words, wordsRules } from '../messages/send-schema.ts';

const IdBody = Body({ id });
const changeErrors = ['not_found', 'bot_not_allowed', 'conflict'] as const;

/** What starts and stops a broadcast, and changes what it sent. */
export function runEndpoints({ broadcasts }: { broadcasts: BroadcastService }): Endpoint[] {
  return [
    post('Broadcasts', '/api/broadcasts/start', {
      ...managing,
      summary: 'Start a broadcast',
      description:
        'Sends it to the audience as it is now, at most 25 messages a second and after ordinary messages. Repeat the number of `recipients` that you saw: 409 if the audience has grown by more than 10 % since. A paid one also needs the `stars` that it may cost, and is refused if the bot has too few. One broadcast of a bot runs at a time.',
      body: Body({
        id,
        recipients: Integer('The number of recipients that you saw.', 2, { minimum: 0 }),
        stars: Optional.Integer(
          'For a paid broadcast: the Stars that you agree to pay at most.',
          1,
          {
            minimum: 0,
          },
        ),
      }),
      errors: [...changeErrors, 'bot_disabled', ...platformErrors],
      handler: ({ caller, body }) => broadcasts.start(caller, body),
    }),
    post('Broadcasts', '/api/broadcasts/pause', {
      ...managing,
      summary: 'Pause a broadcast',
      description: 'Messages that are being sent still arrive. Stays paused over restarts.',
      body: IdBody,
      errors: [...changeErrors],
      handler: ({ caller, body }) => broadcasts.pause(caller, body.id),
    }),
    post('Broadcasts', '/api/broadcasts/resume', {
      ...managing,
      summary: 'Resume a broadcast',
      description: 'Goes on with the chats that have not got it.',
      body: IdBody,
      errors: [...changeErrors, 'bot_disabled'],
      handler: ({ caller, body }) => broadcasts.resume(caller, body.id),
    }),
    post('Broadcasts', '/api/broadcasts/cancel', {
      ...managing,
      summary: 'Cancel a broadcast',
      description: 'Sends no more of it, for good. What was sent can be edited and deleted.',
      body: IdBody,
      errors: [...changeErrors],
      handler: ({ caller, body }) => broadcasts.cancel(caller, body.id),
    }),
    post('Broadcasts', '/api/broadcasts/edit', {
      ...managing,
      summary: 'Edit what a broadcast sent',
      description:
        'Changes the text, or the caption of media, in every chat that got the message. The buttons stay. The broadcast must have ended.',
      body: Body(
        { id, ...words('The new text, or the new caption of media.', 'We open at ten.') },
        [],
        wordsRules(),
      ),
      errors: [...changeErrors, 'bot_disabled'],
      handler: ({ caller, body }) => broadcasts.edit(caller, body),
    }),
    post('Broadcasts', '/api/broadcasts/delete', {
      ...managing,
      summary: 'Delete what a broadcast sent',
      description:
        'Deletes the message in every chat that got it. Telegram allows that for 48 hours. The broadcast and its results stay.',
      body: IdBody,
      errors: [...changeErrors, 'bot_disabled'],
      handler: ({ caller, body }) => broadcasts.delete(caller, body.id),
    }),
  ];
}
