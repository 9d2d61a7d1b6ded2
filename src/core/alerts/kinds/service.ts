import { type AlertKindFacts, because, counted, type Sentence } from './alert-kind.ts';

const gigabytes = (bytes = 0) => `${(bytes / 1e9).toFixed(1)} GB`;
const channel: Sentence = ({ channel_id, host }) =>
  `Alert channel ${channel_id}${host === undefined ? '' : ` (${host})`}`;

/** Kinds about the service itself. Keys for all bots see them. */
export const serviceKinds = {
  disk_low: {
    severity: 'critical',
    found: 'watched',
    icon: 'warn',
    page: 'service',
    label: 'Disk almost full',
    present: ({ free_bytes, total_bytes }) =>
      `The data disk is almost full: ${gigabytes(free_bytes)} of ${gigabytes(total_bytes)} free.`,
    past: () => 'The data disk was almost full.',
    when: 'less than 1 GB or 5 % of the data disk is free',
    helps: 'free space, or shorter retention',
  },
  database_unreachable: {
    severity: 'critical',
    found: 'watched',
    icon: 'warn',
    page: 'service',
    label: 'Database unreachable',
    present: (params) => `The database does not answer${because(params)}`,
    past: () => 'The database did not answer.',
    when: 'the database does not answer; sent by the node that watched before',
    helps: 'start the database',
  },
  node_lost: {
    severity: 'critical',
    found: 'watched',
    subject: 'node',
    icon: 'warn',
    page: 'service',
    label: 'Node lost',
    present: ({ node }) => `Node ${node} stopped sending heartbeats.`,
    past: ({ node }) => `Node ${node} had stopped sending heartbeats.`,
    when: 'a node stopped sending heartbeats, for up to a day',
    helps: 'start it; the other nodes have taken over its bots',
  },
  model_budget: {
    severity: 'warning',
    found: 'watched',
    icon: 'chart',
    page: 'routes',
    label: 'Model limit used up',
    present: () =>
      'The monthly limit of the language model is used up. The offline ranking decides.',
    past: () => 'The monthly limit of the language model was used up.',
    when: 'the monthly limit of the [language model](language-model.md) is reached',
    helps: 'a higher limit',
  },
  backup_old: {
    severity: 'warning',
    found: 'watched',
    icon: 'file',
    page: 'service',
    label: 'Backup overdue',
    present: (params) =>
      params.days === undefined
        ? `There is no backup yet${because(params)}`
        : `The last backup is ${counted(params.days, 'day')} old${because(params)}`,
    past: ({ days }) => (days === undefined ? 'There was no backup.' : 'The backup was too old.'),
    when: 'the last [scheduled backup](operate.md#scheduled-backups) is older than `RELAY_ALERT_BACKUP_AGE` (twice `RELAY_BACKUP_EVERY`)',
    helps: 'see its text, and the log',
  },
  channel_failing: {
    severity: 'warning',
    found: 'watched',
    subject: 'channel_id',
    icon: 'bell',
    page: 'channels',
    label: 'Alert channel fails',
    present: (params) => `${channel(params)} fails${because(params)}`,
    past: (params) => `${channel(params)} failed.`,
    when: 'an alert did not arrive at a channel; another channel says so',
    helps: 'correct the channel, then send a test',
  },
} as const satisfies Record<string, AlertKindFacts>;
