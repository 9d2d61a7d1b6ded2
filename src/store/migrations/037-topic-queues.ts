import type { Migration } from './migration.ts';

/** Adds the setting of bots and apps that delivers each topic in a queue of its own. */
export const topicQueues: Migration = {
  id: 37,
  name: 'topic queues',
  up: () => [
    'alter table bots add column per_topic integer not null default 0',
    'alter table apps add column per_topic integer not null default 0',
  ],
};
