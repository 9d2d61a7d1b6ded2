import type { Sentences } from './shape.ts';

/** Host and port, never the path. */
interface Address {
  address: string;
}

/** About readers of the log, deliveries to backends, and sends. */
export const deliveryReasons = {
  no_dead_letters: ({ bot_id }: { bot_id: number }) =>
    `Bot ${bot_id} has no dead letter with these ids: GET /api/deliveries/dead?bot_id=${bot_id} lists them.`,
  no_waiting_queue: ({ bot_id, queue }: { bot_id: number; queue: string }) =>
    `Bot ${bot_id} has no waiting queue ${queue}: GET /api/deliveries/queues?bot_id=${bot_id} lists them.`,
  no_backend: ({ bot_id }: { bot_id: number }) =>
    `Bot ${bot_id} has no backend_url: set one with POST /api/bots/update.`,
  no_such_reader: ({ bot_id, reader }: { bot_id: number; reader: string }) =>
    `Bot ${bot_id} has no reader ${reader}: GET /api/bots/readers?bot_id=${bot_id} lists them.`,
  unnamed_consumer_stays:
    'The consumer that bot libraries use stays: switch long_poll_enabled off with POST /api/bots/update, or set it to the end with POST /api/bots/readers/rewind.',
  push_is_no_consumer:
    'push is no consumer but forwarding itself: switch proxy_enabled off with POST /api/bots/update.',
  reader_is_no_consumer: ({ reader }: { reader: string }) =>
    `${reader} is no consumer: it reads as long as it is switched on.`,
  routing_is_no_consumer: 'routing is no consumer: it reads as long as the bot has routes.',
  no_such_send: ({ send_id }: { send_id: number }) =>
    `There is no send ${send_id}: GET /api/outbox lists them.`,
  file_not_kept: ({ send_id }: { send_id: number }) =>
    `The file of send ${send_id} was not kept: send it anew.`,
  not_to_be_sent_again: ({ send_id, state }: { send_id: number; state: string }) =>
    `Send ${send_id} is ${state}: only what failed or is unknown can be sent again.`,
  chat_limit_reached: ({ seconds }: { seconds: number }) =>
    `This bot is at the platform's sending limits for this chat: try again in ${seconds} s.`,
  abandoned: 'The service stopped while this was being sent; it may have arrived.',
  sent_without_files: ({ files }: { files: number }) =>
    `Sent without ${files === 1 ? 'the file' : `${files} files`}: too large for the platform to let a bot fetch.`,
  source_bot_gone: 'The bot that received the file is gone',
  file_without_path: 'The platform gave no path for the file',
  edited_never_carried: 'The message to edit was never carried over',
  deleted_never_carried: 'The message to delete was never carried over',
  file_not_replaced:
    'The file could not be replaced: too large for the platform to let a bot fetch.',
  too_many_consumers: ({ bot_id, most }: { bot_id: number; most: number }) =>
    `Conflict: bot ${bot_id} has ${most} consumers already; remove one that is no longer used`,
  too_many_polls: 'Conflict: too many polls of this consumer at once',
  other_poll:
    'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
  consumer_removed: ({ consumer }: { consumer: string }) =>
    `Conflict: terminated because the consumer ${consumer} was removed; another poll would make it anew`,

  connection_refused: ({ address }: Address) =>
    `connection refused by ${address}: is the backend running?`,
  name_unresolved: ({ address }: Address) => `the name in ${address} does not resolve`,
  name_lookup_failed: ({ address }: Address) =>
    `the name in ${address} could not be looked up just now`,
  no_route_to_host: ({ address }: Address) => `no route to ${address}`,
  connection_timed_out: ({ address }: Address) => `no connection to ${address} in time`,
  connection_timed_out_10: ({ address }: Address) => `no connection to ${address} within 10 s`,
  connection_closed: ({ address }: Address) =>
    `${address} closed the connection before it answered`,
  certificate_expired: ({ address }: Address) => `the certificate of ${address} has expired`,
  certificate_self_signed: ({ address }: Address) => `the certificate of ${address} is self-signed`,
  certificate_chain_incomplete: ({ address }: Address) =>
    `the certificate chain of ${address} is incomplete`,
  certificate_other_name: ({ address }: Address) =>
    `the certificate of ${address} is for another name`,
  no_tls: ({ address }: Address) => `${address} does not speak TLS: should it be http?`,
  backend_not_allowed: ({ address }: Address) =>
    `${address} is not allowed as a backend by the RELAY_BACKENDS setting`,
  backend_not_http: ({ address }: Address) => `${address} answered something that is not HTTP`,
  connection_failed: ({ address, cause }: Address & { cause: string }) =>
    `the connection to ${address} failed (${cause || 'for an unknown reason'})`,
  backend_answered: ({ status }: { status: number }) => `answered ${status}`,
  backend_redirected: ({ status }: { status: number }) =>
    `answered ${status}: redirects are not followed, set backend_url to the final address`,
  backend_timeout: ({ seconds }: { seconds: number }) => `no answer within ${seconds} s`,
} satisfies Sentences;
