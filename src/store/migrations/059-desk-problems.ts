import type { Migration } from './migration.ts';

/** Finds the topics that wait because of a problem without reading those of all customers. */
export const deskProblems: Migration = {
  id: 59,
  name: 'desk problems',
  up: () => [
    `create index desk_topics_problem on desk_topics (desk_id, retry_at, id) where problem <> ''`,
  ],
};
