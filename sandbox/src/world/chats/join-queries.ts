import { keep } from '../bounded.ts';
import type { BotRecord } from '../bot-records.ts';
import { admit, queueRequest, notifyRequest } from './join-requests.ts';
import type { JoinQueryRecord, JoinRequestRecord } from './join-records.ts';
import type { ChatRecord, WorldState } from '../records.ts';
import { findChat } from './rooms.ts';
import { nextLongId, type World } from '../world.ts';

/*
 * A chat can have a guard bot, which receives every join request before any administrator does. It
 * decides, leaves the decision to the others, or shows the person a web app first.
 */

const answerMs = 10_000;
/** How long somebody may use the web app; Telegram does not document it. */
const webAppMs = 3_600_000;

export const isOpen = ({ status }: JoinQueryRecord): boolean =>
  status === 'waiting' || status === 'web_app';

/** Returns the latest query about somebody. */
export const queryAbout = (
  state: WorldState,
  chat: ChatRecord,
  userId: number,
): JoinQueryRecord | undefined =>
  [...(state.joinQueries?.values() ?? [])].findLast(
    (query) => query.chatId === chat.id && query.userId === userId,
  );

function setStatus(
  world: World,
  query: JoinQueryRecord,
  chat: ChatRecord,
  status: JoinQueryRecord['status'],
): void {
  query.status = status;
  const { userId } = query;
  world.changed({ type: 'join_changed', roomKey: chat.key, userId, status });
}

function requestOf({ date, link, contactedBy }: JoinQueryRecord): JoinRequestRecord {
  return {
    date,
    ...(link !== undefined && { link }),
    ...(contactedBy !== undefined && { contactedBy }),
  };
}

export type Decision = 'approve' | 'decline' | 'queue';

export function decideQuery(world: World, query: JoinQueryRecord, decision: Decision): void {
  const chat = findChat(world.state, query.chatId);
  if (!chat) return;
  const request = requestOf(query);
  if (decision === 'approve') {
    setStatus(world, query, chat, 'approved');
    admit(world, chat, query.userId, request);
  } else if (decision === 'decline') {
    setStatus(world, query, chat, 'declined');
  } else {
    setStatus(world, query, chat, 'queued');
    queueRequest(world, chat, query.userId, request, query.botId);
  }
}

/**
 * Ends a query at its timeout: without an answer the administrators decide; an unfinished web app
 * is closed.
 */
function runOut(world: World, query: JoinQueryRecord): void {
  const chat = findChat(world.state, query.chatId);
  if (query.status === 'waiting') decideQuery(world, query, 'queue');
  else if (query.status === 'web_app' && chat) setStatus(world, query, chat, 'lapsed');
}

/** Starts the timeout of a query, also after a world was restored. */
export function watchJoinQuery(world: World, query: JoinQueryRecord): void {
  if (!isOpen(query)) return;
  const { id, status, endsAtMs } = query;
  const end = (): void => {
    // Another world may have replaced this one.
    const same = world.state.joinQueries?.get(id) === query;
    if (same && query.status === status) runOut(world, query);
  };
  world.clock.setTimeout(end, Math.max(0, endsAtMs - world.clock.now()));
}

/** Somebody wants to join, and the guard bot is asked. Asking twice has no further effect. */
export function askGuard(
  world: World,
  chat: ChatRecord,
  guard: BotRecord,
  userId: number,
  link?: string,
): void {
  const before = queryAbout(world.state, chat, userId);
  if (before?.status === 'waiting') return;
  if (before?.status === 'web_app') before.status = 'lapsed';
  const query: JoinQueryRecord = {
    id: nextLongId(world),
    botId: guard.id,
    chatId: chat.id,
    userId,
    date: world.now(),
    status: 'waiting',
    endsAtMs: world.clock.now() + answerMs,
    ...(link !== undefined && { link }),
  };
  world.state.joinQueries ??= new Map();
  keep(world.state.joinQueries, query.id, query);
  notifyRequest(world, guard, chat, userId, query, query.id);
  setStatus(world, query, chat, 'waiting');
  watchJoinQuery(world, query);
}

export function showWebApp(world: World, query: JoinQueryRecord, url: string): void {
  const chat = findChat(world.state, query.chatId);
  if (!chat) return;
  query.webAppUrl = url;
  query.endsAtMs = world.clock.now() + webAppMs;
  setStatus(world, query, chat, 'web_app');
  watchJoinQuery(world, query);
}
