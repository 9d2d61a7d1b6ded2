import { reason } from '../../core/reasons/reason.ts';
import type { LogReader } from '../log/log-readers.ts';
import type { Routers } from './routers.ts';

interface RoutingReaderDeps {
  routers: Routers;
  /** True if a bot has anything to route. */
  takesPart(botId: number): Promise<boolean>;
}

export const createRoutingReader = ({ routers, takesPart }: RoutingReaderDeps): LogReader => ({
  isActive: ({ id }) => takesPart(id),
  prepare: ({ id }) => routers.prepare(id),
  run: { apply: ({ id }) => routers.start(id), stop: routers.stop, stopAll: routers.stopAll },
  onMoved: routers.reload,
  insteadOfRemoving: reason('routing_is_no_consumer'),
});
