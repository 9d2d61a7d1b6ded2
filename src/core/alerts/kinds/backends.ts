import {
  type AlertKindFacts,
  backend,
  because,
  counted,
  type Sentence,
  waiting,
} from './alert-kind.ts';

const failed: Sentence = ({ app, count }) =>
  `${counted(count, 'update')}${app === undefined ? '' : ` of app ${app}`} failed after all retries.`;

/** Kinds about the backends of bots and apps. */
export const backendKinds = {
  backend_down: {
    severity: 'critical',
    found: 'live',
    subject: 'reader',
    icon: 'bolt',
    page: 'deliveries',
    action: 'retry',
    label: 'Backend down',
    present: (params) =>
      `${backend(params)} ${params.rejects ? 'rejects updates' : 'is down'}${because(params)}${waiting(params)}`,
    past: (params) => `${backend(params)} was down.`,
    when: 'the backend accepts no deliveries (no answer, or an error each time), or its last check failed and it has accepted no update since',
    helps: 'start it; the web UI and `bot-relay deliveries retry` can retry at once',
  },
  chats_in_retry: {
    severity: 'warning',
    found: 'live',
    subject: 'reader',
    icon: 'pause',
    page: 'deliveries',
    action: 'retry',
    label: 'Updates not accepted',
    present: (params) =>
      `${backend(params)} does not accept updates from ${counted(params.count, 'chat')}${because(params)} Retrying.`,
    past: (params) => `${backend(params)} did not accept updates.`,
    when: 'chats wait in a retry queue because the backend rejects an update, or does not answer it in time',
    helps: 'fix the backend, then `bot-relay deliveries retry`',
  },
  backlog: {
    severity: 'warning',
    found: 'live',
    subject: 'reader',
    icon: 'up',
    page: 'deliveries',
    label: 'Backend too slow',
    present: (params) => `${backend(params)} is too slow.${waiting(params)}`,
    past: (params) => `${backend(params)} was too slow.`,
    when: 'an update waits for more than a minute, or the backlog grew by 100 within two minutes',
    helps: 'a faster backend, more connections',
  },
  dead_letters: {
    severity: 'warning',
    found: 'live',
    subject: 'reader',
    icon: 'file',
    page: 'deliveries',
    action: 'replay',
    label: 'Dead letters',
    present: failed,
    past: failed,
    when: 'updates failed after all retries',
    helps: 'replay or discard them: in the web UI, or with `bot-relay deliveries`',
  },
  certificate_expiring: {
    severity: 'warning',
    found: 'watched',
    subject: 'host',
    icon: 'key',
    page: 'settings',
    label: 'Certificate expires',
    present: ({ host, days = 0 }) =>
      days < 0
        ? `The certificate of ${host} has expired.`
        : `The certificate of ${host} expires in ${counted(days, 'day')}.`,
    past: ({ host, days = 0 }) =>
      `The certificate of ${host} ${days < 0 ? 'had expired' : 'was about to expire'}.`,
    when: 'the certificate of a backend ends within 14 days; the relay asks twice a day',
    helps: 'renew the certificate',
  },
} as const satisfies Record<string, AlertKindFacts>;
