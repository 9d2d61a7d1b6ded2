import type { Sentences } from './shape.ts';

/** The steps of a message through the relay. */
export const timelineReasons = {
  step_received: ({ kind }: { kind: string }) => `Received from Telegram (${kind}).`,
  step_sent: 'Sent.',
  step_sent_by: ({ kind, name }: { kind: string; name: string }) => `Sent by ${kind} ${name}.`,
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
  step_send_removed: 'Retention removed the sends of this route.',
  step_attempt_failed: ({ app }: { app: string }) => `Delivery to the backend of ${app} failed.`,
  step_delivered: ({ app, status, ms }: { app: string; status: number; ms: number }) =>
    `Delivered to the backend of ${app}: ${status} in ${ms} ms.`,
  step_passed: ({ app }: { app: string }) =>
    `Delivery to the backend of ${app} is finished. The attempt is not found any more.`,
  step_delivery_waits: ({ app }: { app: string }) => `Waits for the backend of ${app}.`,
  step_dead: ({ app, attempts }: { app: string; attempts: number }) =>
    `Dead letter: the backend of ${app} did not take it in ${attempts} attempts.`,
  step_read: ({ app }: { app: string }) => `Read by app ${app}.`,
  step_not_read: ({ app }: { app: string }) => `App ${app} has not read it yet.`,
  step_nobody: 'No backend and no app receives it.',
  step_replied_by: ({ name }: { name: string }) => `${name} replied.`,
  step_answered: 'The bot answered.',
  step_answered_by: ({ kind, name }: { kind: string; name: string }) =>
    `Answered by ${kind} ${name}.`,
} satisfies Sentences;

export interface MessageParams {
  bot_id: number;
  chat_id: number;
  message_id: number;
}
