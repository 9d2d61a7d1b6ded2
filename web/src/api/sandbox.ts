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
  SandboxWorld,
} from '../../../sandbox/src/answers.ts';

export const worldQuery = queryOptions({
  queryKey: ['sandbox', 'world'],
  queryFn: ({ signal }) => get('/api/sandbox/snapshot', {}, signal),
  retry: false,
});

export const phoneChatsQuery = (user: number) =>
  queryOptions({
    queryKey: ['sandbox', 'chats', user],
    queryFn: ({ signal }) => get('/api/sandbox/users/chats', { user }, signal),
  });

export const phoneHistoryQuery = (user: number, chat: number) =>
  queryOptions({
    queryKey: ['sandbox', 'history', user, chat],
    queryFn: ({ signal }) => get('/api/sandbox/history', { user, chat, limit: 100 }, signal),
  });

export type FaultKind = SandboxFaultsAddRequest['kind'];

export const faultsQuery = queryOptions({
  queryKey: ['sandbox', 'faults'],
  queryFn: ({ signal }) => get('/api/sandbox/faults/list', {}, signal),
});

/** Where the bytes of a photo or another file of a message are. */
export const sandboxFile = (id: string) => addressOf('/api/sandbox/file', { id });

/** What a bot answered to a press; pending until it did. */
export const callbackAnswer = (id: string) => get('/api/sandbox/callback-answer', { id });

/** How far a payment is; the bot has ten seconds for each of its answers. */
export const paymentStatus = (id: string) => get('/api/sandbox/pay/status', { id });

export function personName(person: Person): string {
  return [person.first_name, person.last_name].filter(Boolean).join(' ');
}
