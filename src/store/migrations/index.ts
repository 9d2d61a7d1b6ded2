import { foundation } from './001-foundation.ts';
import { relay } from './002-relay.ts';
import { nodes } from './003-nodes.ts';
import { push } from './004-push.ts';
import { webhooks } from './005-webhooks.ts';
import { routing } from './006-routing.ts';
import { chats } from './007-chats.ts';
import { people } from './008-people.ts';
import { business } from './009-business.ts';
import { webhookWishes } from './010-webhook-wishes.ts';
import { management } from './012-management.ts';
import { unpinned } from './013-unpinned.ts';
import { seenRanges } from './014-seen-ranges.ts';
import { backendHealth } from './015-backend-health.ts';
import { sendLimits } from './017-send-limits.ts';
import { tagBots } from './019-tag-bots.ts';
import { oneQueue } from './020-one-queue.ts';
import { pushReaders } from './021-push-readers.ts';
import { apps } from './022-apps.ts';
import { alerts } from './023-alerts.ts';
import { droppedAt } from './024-dropped-at.ts';
import { checkedBots } from './025-checked-bots.ts';
import { sendClasses } from './026-send-classes.ts';
import { selfSetWebhooks } from './027-self-set-webhooks.ts';
import { rateLimitedApps } from './028-rate-limited-apps.ts';
import { refusedUpdates } from './029-refused-updates.ts';
import { appSends } from './030-app-sends.ts';
import { undecidedPatterns } from './031-undecided-patterns.ts';
import { plainNames } from './032-plain-names.ts';
import type { Migration } from './migration.ts';

export const migrations: readonly Migration[] = [
  foundation,
  relay,
  nodes,
  push,
  webhooks,
  routing,
  chats,
  people,
  business,
  webhookWishes,
  management,
  unpinned,
  seenRanges,
  backendHealth,
  sendLimits,
  tagBots,
  oneQueue,
  pushReaders,
  apps,
  alerts,
  droppedAt,
  checkedBots,
  sendClasses,
  selfSetWebhooks,
  rateLimitedApps,
  refusedUpdates,
  appSends,
  undecidedPatterns,
  plainNames,
];

export const newestMigration = migrations.at(-1)?.id ?? 0;
