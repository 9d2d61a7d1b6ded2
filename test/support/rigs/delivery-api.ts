import { deliveryEndpoints } from '../../../src/http/api/delivery/deliveries.ts';
import { createDeliveryService } from '../../../src/relay/delivery/delivery-service.ts';
import type { DialectName } from '../../../src/store/engine.ts';
import { startTestApp, type TestApp } from '../test-app.ts';
import { createPushRig, openConnection, type PushRig } from './delivery-rig.ts';

export interface DeliveryApi {
  rig: PushRig;
  test: TestApp;
  close(): Promise<void>;
}

/** The endpoints of deliveries, with a bot whose updates are delivered. */
export async function startDeliveryApi(dialect: DialectName): Promise<DeliveryApi> {
  const rig = await createPushRig(dialect, { giveUpAfterMs: 5_000 });
  await rig.apply();
  const service = createDeliveryService({
    store: rig.store,
    pushers: { wake: (botId) => rig.pushers.wake(botId) },
    apps: rig.apps,
    openConnection,
    clock: rig.clock,
  });
  const test = await startTestApp({ endpoints: deliveryEndpoints({ service }) });
  await test.addBot();
  return {
    rig,
    test,
    async close() {
      await test.close();
      await rig.close();
    },
  };
}
