import type { ReactionType } from '@grammyjs/types';
import { Type } from 'typebox';
import { ControlError } from '../api-error.ts';
import { pinMessage, unpinMessage } from '../world/messages/messages.ts';
import { publishPoll, publishPollAnswer, setVote } from '../world/messages/polls.ts';
import { isReaction, setReaction } from '../world/messages/reactions.ts';
import { hasRight } from '../world/chats/rights.ts';
import type { World } from '../world/world.ts';
import { action } from './action.ts';
import { AnyText, atMessage, Flag } from './fields.ts';
import { messageRef, type Ref, roomRef, userRef } from './refs.ts';

/** Sets the user's reaction; an empty text removes it. */
export function react(world: World, who: Ref, chat: Ref, messageId: number, emoji: string): void {
  const user = userRef(world, who);
  const room = roomRef(world, user, chat);
  const record = messageRef(room, messageId);
  const reactions = (emoji === '' ? [] : [{ type: 'emoji', emoji }]) as ReactionType[];
  if (!reactions.every(isReaction)) throw new ControlError('not_a_reaction', { emoji });
  setReaction(world, room, record, user.id, reactions);
}

/** Votes in a poll; no options retract the vote. */
export function vote(
  world: World,
  who: Ref,
  chat: Ref,
  messageId: number,
  optionIds: number[],
): void {
  const user = userRef(world, who);
  const room = roomRef(world, user, chat);
  const { pollId } = messageRef(room, messageId);
  const poll = pollId === undefined ? undefined : world.state.polls.get(pollId);
  if (!poll) throw new ControlError('no_poll');
  if (poll.isClosed) throw new ControlError('poll_closed');
  if (poll.votes[user.id] && !poll.allowsRevoting) throw new ControlError('vote_final');
  if (optionIds.length > 1 && !poll.allowsMultipleAnswers) {
    throw new ControlError('one_answer_only');
  }
  if (optionIds.some((index) => !poll.options[index])) throw new ControlError('no_option');
  setVote(poll, user.id, optionIds);
  publishPoll(world, poll);
  publishPollAnswer(world, poll, user.id);
  world.changed({ type: 'chat_changed', roomKey: room.key });
}

export function pinByUser(
  world: World,
  who: Ref,
  chat: Ref,
  messageId: number,
  pinned = true,
): void {
  const user = userRef(world, who);
  const room = roomRef(world, user, chat);
  messageRef(room, messageId);
  if (room.type !== 'private' && !hasRight(room.members.get(user.id), 'can_pin_messages')) {
    throw new ControlError('may_not_pin', { user: user.first_name });
  }
  if (pinned) pinMessage(world, room, messageId, user.id);
  else unpinMessage(world, room, messageId);
}

export const reactActions = {
  react: action({
    summary: 'React to a message',
    fields: {
      ...atMessage,
      emoji: AnyText('"" removes the reaction.', 32, '👍'),
    },
    run: ({ world }, { user, chat, message_id, emoji }) =>
      react(world, user, chat, message_id, emoji),
  }),
  vote: action({
    summary: 'Vote in a poll',
    fields: {
      ...atMessage,
      options: Type.Array(Type.Integer({ minimum: 0, maximum: 100 }), {
        maxItems: 100,
        description: 'Options, counted from 0; an empty list retracts the vote.',
      }),
    },
    run: ({ world }, { user, chat, message_id, options }) =>
      vote(world, user, chat, message_id, options),
  }),
  pin: action({
    summary: 'Pin or unpin a message as a person',
    fields: { ...atMessage, pinned: Flag('Default: true.') },
    run: ({ world }, { user, chat, message_id, pinned }) =>
      pinByUser(world, user, chat, message_id, pinned),
  }),
};
