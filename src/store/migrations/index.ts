import { base } from './031-base.ts';
import { plainNames } from './032-plain-names.ts';
import { guestMessages } from './033-guest-messages.ts';
import { keepPending } from './034-keep-pending.ts';
import { messageAuthors } from './035-message-authors.ts';
import { topics } from './036-topics.ts';
import { topicQueues } from './037-topic-queues.ts';
import { pacing } from './038-pacing.ts';
import { routeTopics } from './039-route-topics.ts';
import { conversations } from './040-conversations.ts';
import { urgentCommands } from './041-urgent-commands.ts';
import { floodWaits } from './042-flood-waits.ts';
import { followingSends } from './043-following-sends.ts';
import { savedReplies } from './044-saved-replies.ts';
import { appFormats } from './045-app-formats.ts';
import { keyLimits } from './046-key-limits.ts';
import { chatReads } from './047-chat-reads.ts';
import { searchPending } from './056-search-pending.ts';
import { desks } from './048-desks.ts';
import { scheduledSends } from './049-scheduled-sends.ts';
import { questions } from './050-questions.ts';
import { deskBans } from './051-desk-bans.ts';
import { deskChecks } from './055-desk-checks.ts';
import { deskReplies } from './058-desk-replies.ts';
import { deskProblems } from './059-desk-problems.ts';
import { deskRatings } from './062-desk-ratings.ts';
import { deskCards } from './063-desk-cards.ts';
import { broadcasts } from './052-broadcasts.ts';
import { messagePositions } from './053-message-positions.ts';
import { questionKeys } from './054-question-keys.ts';
import { alertHandling } from './057-alert-handling.ts';
import { roomForUpdates } from './061-room-for-updates.ts';
import { topicConversations } from './064-topic-conversations.ts';
import { searchMerges } from './065-search-merges.ts';
import type { Migration } from './migration.ts';

/** The migrations in the order of their numbers. */
export const migrations: readonly Migration[] = [
  base,
  plainNames,
  guestMessages,
  keepPending,
  messageAuthors,
  topics,
  topicQueues,
  pacing,
  routeTopics,
  conversations,
  urgentCommands,
  floodWaits,
  followingSends,
  savedReplies,
  appFormats,
  keyLimits,
  chatReads,
  desks,
  scheduledSends,
  questions,
  deskBans,
  broadcasts,
  messagePositions,
  questionKeys,
  deskChecks,
  searchPending,
  alertHandling,
  deskReplies,
  deskProblems,
  roomForUpdates,
  deskRatings,
  deskCards,
  topicConversations,
  searchMerges,
];

export const baseSchema = base.id;

/**
 * The last commit with the migrations that the base replaces; it upgrades databases of earlier
 * schemas to the base.
 */
export const lastCommitBeforeBase = 'cbc823bc54f0604d86211da1c5a62b46de8b57a8';

export function newestSchema(): number {
  return migrations.at(-1)?.id ?? baseSchema;
}
