import type { Poll, PollAnswer } from '@grammyjs/types';
import { keep } from '../bounded.ts';
import { defined } from '../defined.ts';
import { personOf } from '../people.ts';
import type { PollRecord } from '../records.ts';
import type { World } from '../world.ts';

export function pollObject(poll: PollRecord): Poll {
  return defined<Poll>({
    id: poll.id,
    question: poll.question,
    question_entities: poll.questionEntities,
    options: poll.options.map((option) => ({ ...option })),
    total_voter_count: Object.keys(poll.votes).length,
    is_closed: poll.isClosed,
    is_anonymous: poll.isAnonymous,
    type: poll.type,
    allows_multiple_answers: poll.allowsMultipleAnswers,
    allows_revoting: poll.allowsRevoting,
    members_only: false,
    country_codes: undefined,
    correct_option_ids: poll.correctOptionIds,
    explanation: poll.explanation,
    explanation_entities: poll.explanationEntities,
    explanation_media: undefined,
    open_period: poll.openPeriod,
    close_date: poll.closeDate,
    description: undefined,
    description_entities: undefined,
    media: undefined,
  });
}

/** Only the bot that sent a poll gets updates about it. */
export function publishPoll(world: World, poll: PollRecord): void {
  const bot = poll.botId === undefined ? undefined : world.state.bots.get(poll.botId);
  if (bot) world.publish(bot, 'poll', () => pollObject(poll), `poll:${poll.id}`);
}

export function publishPollAnswer(world: World, poll: PollRecord, userId: number): void {
  const bot = poll.botId === undefined ? undefined : world.state.bots.get(poll.botId);
  if (!bot || poll.isAnonymous) return;
  const optionIds = poll.votes[userId] ?? [];
  const answer: PollAnswer = {
    poll_id: poll.id,
    user: personOf(world.state, userId),
    option_ids: optionIds,
    option_persistent_ids: optionIds.map((index) => poll.options[index]?.persistent_id ?? ''),
  };
  world.publish(bot, 'poll_answer', () => answer, `user:${userId}`);
}

export function setVote(poll: PollRecord, userId: number, optionIds: number[]): void {
  for (const index of poll.votes[userId] ?? []) {
    const option = poll.options[index];
    if (option) option.voter_count -= 1;
  }
  if (optionIds.length === 0) {
    delete poll.votes[userId];
    return;
  }
  poll.votes[userId] = optionIds;
  for (const index of optionIds) {
    const option = poll.options[index];
    if (option) option.voter_count += 1;
  }
}

/** Timers of polls that close automatically. */
const closing = new WeakMap<PollRecord, unknown>();

/** Stores a poll; the timers of polls that are dropped for it are cleared. */
export function keepPoll(world: World, poll: PollRecord): void {
  for (const old of keep(world.state.polls, poll.id, poll)) {
    world.clock.clearTimeout(closing.get(old));
  }
}

/** Closes the poll, for the timer or for the bot. */
export function closePoll(world: World, poll: PollRecord): void {
  if (poll.isClosed) return;
  poll.isClosed = true;
  world.clock.clearTimeout(closing.get(poll));
  publishPoll(world, poll);
  world.changed({ type: 'chat_changed', roomKey: poll.roomKey });
}

export function schedulePollClose(world: World, poll: PollRecord): void {
  if (poll.isClosed || poll.closeDate === undefined) return;
  const delayMs = Math.max(0, poll.closeDate * 1000 - world.clock.now());
  closing.set(
    poll,
    world.clock.setTimeout(() => closePoll(world, poll), delayMs),
  );
}
