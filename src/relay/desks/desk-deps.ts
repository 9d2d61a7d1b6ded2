import type { DeskRepository } from '../../store/desks/desks.ts';
import type { DecideDeps } from '../routing/routing-decision.ts';

/** What carrying messages between customers and their topics needs. */
export type DeskDeps = Pick<DecideDeps, 'bots' | 'pairs'> & {
  desks: Pick<
    DeskRepository,
    | 'act'
    | 'hasTopicNamed'
    | 'note'
    | 'noteForCustomer'
    | 'replyInAbsence'
    | 'setClosed'
    | 'take'
    | 'topicAt'
  >;
  isForumAdmin: DecideDeps['isForumAdmin'];
};
