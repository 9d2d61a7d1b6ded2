/*
 * Pauses push readers on all nodes while their queue is handed over or dropped. By then everything
 * in flight is finished and stored, so nobody receives it again.
 *
 * Every node takes part, not only the one that runs the bot: the bot may move to another node at
 * any moment.
 */
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import type { WhileDrained } from '../../core/ports.ts';
import type { Logger } from '../../logger.ts';
import type { LeaseRepository } from '../../store/cluster/leases.ts';
import type { NotificationPayloads, Notifications } from '../../store/cluster/notifications.ts';
import type { Background } from '../async/background.ts';
import type { Pushers } from '../delivery/pushers.ts';
import { askOthers } from './ask-others.ts';
import type { NodeLease } from './lease.ts';

interface DrainsOptions {
  pushers: Pick<Pushers, 'drain' | 'resume'>;
  leases: Pick<LeaseRepository, 'ownerOf'>;
  nodes: Pick<NodeLease, 'nodeId' | 'mayLive'>;
  notifications: Notifications;
  singleNode: boolean;
  background: Background;
  clock: Clock;
  logger: Logger;
}

type Drain = NotificationPayloads['drain'];

// Together the questions take longer than a drain and its last commit.
const asks = 4;

export function createDrains(options: DrainsOptions, closing: AbortSignal): WhileDrained {
  const { pushers, leases, nodes, notifications, singleNode, background, logger } = options;
  notifications.subscribe('drain', (drain) => {
    background.run(async () => {
      await pushers.drain(drain);
      notifications.publish('drained', { id: drain.id, node: nodes.nodeId() });
    });
  });
  notifications.subscribe('resume', ({ id }) => background.run(() => pushers.resume(id)));

  /**
   * Waits for the drain of the other nodes. A node that does not answer delays the change by a few
   * seconds only.
   */
  async function drainElsewhere(drain: Drain): Promise<void> {
    const { id, botId } = drain;
    const drained = new Set([nodes.nodeId(), '']);
    const isDrained = async () => {
      const owner = await leases.ownerOf(botId);
      return drained.has(owner) || !nodes.mayLive(owner);
    };
    const ask = () => notifications.publish('drain', drain);
    if (await isDrained()) {
      ask();
      return;
    }
    const isDone = await askOthers(
      options,
      {
        ask,
        answer: 'drained',
        async isEnough(said) {
          if (said.id !== id) return false;
          drained.add(said.node);
          return isDrained();
        },
        times: asks,
      },
      closing,
    );
    if (!isDone) {
      logger.warn(
        { bot_id: botId },
        'the node that runs this bot did not finish its deliveries: some may be received twice',
      );
    }
  }

  return async (targets, work) => {
    const drains = [...Map.groupBy(targets, ({ botId }) => botId)].map(([botId, ofBot]) => ({
      id: randomUUID(),
      botId,
      readers: ofBot.map(({ reader }) => reader),
    }));
    try {
      await Promise.all(
        drains.map((drain) =>
          Promise.all([pushers.drain(drain), singleNode ? undefined : drainElsewhere(drain)]),
        ),
      );
      return await work();
    } finally {
      for (const { id } of drains) notifications.publish('resume', { id });
      await Promise.all(drains.map(({ id }) => pushers.resume(id)));
    }
  };
}
