import type { Sentences } from './shape.ts';

/** Empty for the bot itself. */
export interface OfApp {
  app: string;
}

const backend = ({ app }: OfApp) => (app === '' ? 'the backend' : `the backend of app ${app}`);

/** The steps of a message through the relay. */
export const timelineReasons = {
  step_received: ({ kind }: { kind: string }) => `Received from Telegram (${kind}).`,
  step_sent: 'Sent.',
  step_sent_by: ({ kind, name }: { kind: string; name: string }) =>
    `Sent by ${kind}${name && ` ${name}`}.`,
  step_carries: ({ bot_id, chat_id, message_id }: MessageParams) =>
    `Stands for message ${message_id} in chat ${chat_id} of bot ${bot_id}.`,
  step_stored: ({ position }: { position: number }) => `Stored in the log at position ${position}.`,
  step_removed: ({ position }: { position: number }) =>
    `Retention removed the update at position ${position} from the log.`,
  step_position_unknown:
    'Stored by an older version, or imported. Its update is not known, nor who received it.',
  step_claimed: ({ app }: { app: string }) => `Claimed by app ${app}: no other app receives it.`,
  step_claimed_by_deleted: 'Claimed by an app that was deleted: no other app receives it.',
  step_claimed_by_relay: 'Handled by Bot Relay itself: no app receives it.',
  step_routes_wait: 'The routes have not read it yet.',
  step_routes: ({ outcome }: { outcome: string }) => `Routes: ${outcome}.`,
  step_route: ({ route_id }: { route_id: number }) => `Route ${route_id} matched.`,
  step_chosen: ({ bot_id }: { bot_id: number }) => `Bot ${bot_id} was chosen by meaning.`,
  step_send: ({ state, bot_id, chat_id }: { state: string; bot_id: number; chat_id: number }) =>
    `Send to chat ${chat_id} through bot ${bot_id}: ${state}.`,
  step_send_hidden: ({ state }: { state: string }) =>
    `Send to a chat that you may not see: ${state}.`,
  step_desk_unknown: 'No longer waits for the topic. What became of it is not stored.',
  step_desk_waits: 'Waits to be written into the topic of the customer.',
  step_send_removed: 'Retention removed the sends of this route.',
  step_attempt_failed: (to: OfApp) => `Delivery to ${backend(to)} failed.`,
  step_delivered: ({ status, ms, ...to }: OfApp & { status: number; ms: number }) =>
    `Delivered to ${backend(to)}: ${status} in ${ms} ms.`,
  step_passed: (to: OfApp) =>
    `Delivery to ${backend(to)} is finished. The attempt is not found any more.`,
  step_delivery_waits: (to: OfApp) => `Waits for ${backend(to)}.`,
  step_dead: ({ attempts, ...to }: OfApp & { attempts: number }) =>
    `Dead letter: ${backend(to)} did not take it in ${attempts} attempts.`,
  step_read: ({ app }: { app: string }) => `Read by app ${app}.`,
  step_not_read: ({ app }: { app: string }) => `App ${app} has not read it yet.`,
  step_nobody: 'No backend and no app receives it.',
  step_replied_by: ({ name }: { name: string }) => `${name} replied.`,
  step_answered: 'The bot answered.',
  step_answered_by: ({ kind, name }: { kind: string; name: string }) =>
    `Answered by ${kind}${name && ` ${name}`}.`,
} satisfies Sentences;

export interface MessageParams {
  bot_id: number;
  chat_id: number;
  message_id: number;
}
