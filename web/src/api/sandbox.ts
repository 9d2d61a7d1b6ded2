import { queryOptions } from '@tanstack/react-query';
import type { Person } from '../../../sandbox/src/answers.ts';
import type { SandboxFaultsAddRequest } from '../../../src/api-types.ts';
import { addressOf, get } from './client/client.ts';

export type {
  InlineButton,
  Person as SandboxPerson,
  SandboxChat,
  SandboxFault as ActiveFault,
  SandboxMessage,
  SandboxShownChat as ShownChat,
  SandboxShownMessage as ShownMessage,
  SandboxTopic as ShownTopic,
  SandboxWorld,
} from '../../../sandbox/src/answers.ts';

export const worldQuery = queryOptions({
  queryKey: ['sandbox', 'world'],
  queryFn: ({ signal }) => get('/api/sandbox/snapshot', {}, signal),
  retry: false,
  // The service sends no events about the sandbox: who comes back must not see who was there before.
  gcTime: 0,
});

export const phoneChatsQuery = (user: number) =>
  queryOptions({
    queryKey: ['sandbox', 'chats', user],
    queryFn: ({ signal }) => get('/api/sandbox/users/chats', { user }, signal),
  });

export const phoneTopicsQuery = (user: number, chat: number) =>
  queryOptions({
    queryKey: ['sandbox', 'topics', user, chat],
    queryFn: ({ signal }) => get('/api/sandbox/topics', { user, chat }, signal),
  });

/** A chat, or one topic of it, as a person sees it. */
export interface PhonePlace {
  user: number;
  chat: number;
  message_thread_id?: number;
}

export const phoneHistoryQuery = (place: PhonePlace) =>
  queryOptions({
    queryKey: ['sandbox', 'history', place],
    queryFn: ({ signal }) => get('/api/sandbox/history', { ...place, limit: 100 }, signal),
  });

export type FaultKind = SandboxFaultsAddRequest['kind'];

export const faultsQuery = queryOptions({
  queryKey: ['sandbox', 'faults'],
  queryFn: ({ signal }) => get('/api/sandbox/faults/list', {}, signal),
});

/** The URL of a photo or another file of a message. */
export const sandboxFile = (id: string) => addressOf('/api/sandbox/file', { id });

/** A bot's answer to a button press; pending until the bot answers. */
export const callbackAnswer = (id: string) => get('/api/sandbox/callback-answer', { id });

/** The status of a payment; the bot has ten seconds for each of its answers. */
export const paymentStatus = (id: string) => get('/api/sandbox/pay/status', { id });

export function personName(person: Person): string {
  return [person.first_name, person.last_name].filter(Boolean).join(' ');
}
