import type { Migration } from './migration.ts';

const renamedKinds = [
  ['chats_parked', 'chats_in_retry'],
  ['reader_behind', 'polling_stopped'],
  ['app_silent', 'app_not_seen'],
] as const;

/** Stored alerts, channels and readers get the names that the API uses from 1.0 on. */
export const plainNames: Migration = {
  id: 32,
  name: 'plain names',
  up: (dialect) => [
    // Apps may poll through a node of the earlier version, whose transactions must end first.
    ...(dialect === 'postgres' ? ['lock table readers in share row exclusive mode'] : []),
    // Kinds of updates are quoted as well, but only a key has a colon after its quote.
    `update readers set state = replace(state, '"wishes":', '"allowedUpdatesHistory":')
     where state like '%"wishes":%'`,
    ...renamedKinds.flatMap(([before, after]) => [
      `update alerts set kind = '${after}' where kind = '${before}'`,
      `update alert_channels set settings = replace(settings, '"${before}"', '"${after}"')
       where settings like '%"${before}"%'`,
      // These are webhook calls that have not arrived yet.
      `update alert_messages set body = replace(body, '"kind":"${before}"', '"kind":"${after}"')
       where body like '%"kind":"${before}"%'`,
    ]),
  ],
};
