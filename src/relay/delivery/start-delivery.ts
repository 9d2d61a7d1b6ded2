import { readReaderState } from '../../core/log/push-progress.ts';
import { type DeliveryDeps, DeliveryExecutor, type DeliveryTarget } from './delivery-executor.ts';
import { DeliveryPlan } from './plan/delivery-plan.ts';

/**
 * Opens the reader, at the log's end if it is new, and continues from its position. The reader of
 * an app exists only as long as the app: undefined if it is missing.
 */
export async function startDelivery(
  target: DeliveryTarget,
  deps: DeliveryDeps,
): Promise<DeliveryExecutor | undefined> {
  const { clock, random, readers, retryQueues, settings, webhooks } = deps;
  const { id: botId, reader } = target;
  const opened = target.app
    ? await readers.findReader(botId, reader)
    : await readers.openReader(botId, reader, clock.now());
  if (!opened) return undefined;
  // This is read after the reader: if someone moves the reader meanwhile, its generation shows that
  // this may be outdated.
  const webhook = await webhooks.get(botId, reader);
  await retryQueues.repair(botId, reader, clock.now());
  const rows = await retryQueues.first(botId, reader, settings.mostRetryQueues + 1);
  const plan = new DeliveryPlan(
    { botId, reader, settings, random },
    { position: opened.position, ...readReaderState(opened.state), retryQueues: rows },
    { ms: clock.monotonic(), wallMs: clock.now() },
  );
  const requestedAt = Math.max(0, ...rows.map((row) => row.requestedAt));
  return new DeliveryExecutor(target, deps, {
    plan,
    webhook,
    generation: opened.generation,
    requestedAt,
  });
}
