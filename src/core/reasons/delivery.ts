import type { Sentences } from './shape.ts';

/** Host and port, never the path; empty if the surrounding sentence names it. */
export interface Address {
  address: string;
}

const after = (word: string, address: string) => (address === '' ? '' : ` ${word} ${address}`);

/** About readers of the log, deliveries to backends, and sends. */
export const deliveryReasons = {
  no_dead_letters: ({ bot_id }: { bot_id: number }) =>
    `Bot ${bot_id} has no dead letters with these ids. List them with GET /api/deliveries/dead?bot_id=${bot_id}.`,
  no_delivered_update: ({ bot_id, position }: { bot_id: number; position: number }) =>
    `Bot ${bot_id} has no update at position ${position} for this backend. List updates with GET /api/deliveries/updates?bot_id=${bot_id}.`,
  no_waiting_queue: ({ bot_id, queue }: { bot_id: number; queue: string }) =>
    `Bot ${bot_id} has no retry queue ${queue}. List queues with GET /api/deliveries/queues?bot_id=${bot_id}.`,
  no_backend: ({ bot_id }: { bot_id: number }) =>
    `Bot ${bot_id} has no backend_url. Set one with POST /api/bots/update.`,
  no_such_reader: ({ bot_id, reader }: { bot_id: number; reader: string }) =>
    `Bot ${bot_id} has no reader ${reader}. List readers with GET /api/bots/readers?bot_id=${bot_id}.`,
  unnamed_consumer_stays:
    'The default consumer cannot be removed. Turn getUpdates off (long_poll_enabled) with POST /api/bots/update, or skip to the end with POST /api/bots/readers/rewind.',
  push_is_no_consumer:
    'push is not a consumer: it forwards to the backend. Turn off proxy_enabled with POST /api/bots/update.',
  reader_is_no_consumer: ({ reader }: { reader: string }) =>
    `${reader} is not a consumer and cannot be removed. It reads while it is turned on.`,
  routing_is_no_consumer:
    'routing is not a consumer and cannot be removed. It reads while the bot has routes.',
  no_such_send: ({ send_id }: { send_id: number }) =>
    `Unknown send ${send_id}. List sends with GET /api/outbox.`,
  file_not_kept: ({ send_id }: { send_id: number }) =>
    `The file of send ${send_id} is not stored. Upload it in a new message.`,
  not_to_be_sent_again: ({ send_id, state }: { send_id: number; state: string }) =>
    `Send ${send_id} is ${state}. Only failed and unknown sends can be repeated.`,
  chat_limit_reached: ({ seconds }: { seconds: number }) =>
    `Sending limit of Telegram reached for this chat. Try again in ${seconds} s.`,
  abandoned:
    'The service stopped during this send. The message may have been sent: check the chat.',
  restored_unsent:
    'This message was queued when the restored backup was made. It may have been sent since: check the chat.',
  sent_without_files: ({ files }: { files: number }) =>
    `Sent without ${files === 1 ? 'the file' : `${files} files`}: too large for bots to download.`,
  source_bot_refused:
    'Telegram refuses the token of the bot that received the file. Set a new token.',
  source_bot_gone: 'The bot that received the file was deleted.',
  file_without_path: 'Telegram returned no path for the file.',
  edited_never_carried: 'The edited message was never forwarded.',
  deleted_never_carried: 'The deleted message was never forwarded.',
  file_not_replaced: 'The file could not be replaced: too large for bots to download.',
  too_many_consumers: ({ bot_id, most }: { bot_id: number; most: number }) =>
    `Conflict: bot ${bot_id} has ${most} consumers, the maximum; remove an unused one`,
  too_many_polls: 'Conflict: too many simultaneous polls of this consumer',
  other_poll:
    'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
  consumer_removed: ({ consumer }: { consumer: string }) =>
    `Conflict: terminated because consumer ${consumer} was removed; the next poll creates it`,

  connection_refused: ({ address }: Address) => `connection refused${after('by', address)}`,
  name_unresolved: ({ address }: Address) =>
    `the host name${after('in', address)} does not resolve`,
  name_lookup_failed: ({ address }: Address) => `the DNS lookup${after('for', address)} failed`,
  no_route_to_host: ({ address }: Address) => `no route to ${address || 'the host'}`,
  connection_timed_out: ({ address }: Address) => `connecting${after('to', address)} timed out`,
  connection_timed_out_10: ({ address }: Address) =>
    `connecting${after('to', address)} timed out after 10 s`,
  connection_closed: ({ address }: Address) =>
    `${address || 'it'} closed the connection without an answer`,
  certificate_expired: ({ address }: Address) =>
    `the certificate${after('of', address)} has expired`,
  certificate_self_signed: ({ address }: Address) =>
    `the certificate${after('of', address)} is self-signed`,
  certificate_chain_incomplete: ({ address }: Address) =>
    `the certificate chain${after('of', address)} is incomplete`,
  certificate_other_name: ({ address }: Address) =>
    `the certificate${after('of', address)} is for another name`,
  no_tls: ({ address }: Address) =>
    `${address || 'it'} does not speak TLS: use http instead of https?`,
  backend_not_allowed: ({ address }: Address) =>
    `the RELAY_BACKENDS setting does not allow ${address || 'it'}`,
  backend_not_http: ({ address }: Address) => `${address || 'it'} did not answer in HTTP`,
  connection_failed: ({ address, cause }: Address & { cause: string }) =>
    `the connection${after('to', address)} failed (${cause || 'unknown cause'})`,
  backend_answered: ({ status }: { status: number }) => `answered ${status}`,
  backend_redirected: ({ status }: { status: number }) =>
    `answered ${status}: redirects are not followed; set backend_url to the final address`,
  backend_timeout: ({ seconds }: { seconds: number }) => `no answer within ${seconds} s`,
  waits_behind_others: 'waiting behind many updates of the same chat',
} satisfies Sentences;
