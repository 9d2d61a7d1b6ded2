import type { DecideDeps } from '../routing/routing-decision.ts';

/** What carrying messages between customers and their topics needs. */
export type DeskDeps = Pick<DecideDeps, 'bots' | 'desks' | 'isForumAdmin' | 'pairs'>;
