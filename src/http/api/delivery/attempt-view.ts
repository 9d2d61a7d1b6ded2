import { isoTime } from '../../../core/iso-time.ts';
import { readerApp } from '../../../core/log/reader-kinds.ts';
import type { DeliveryService } from '../../../relay/delivery/delivery-service.ts';
import type { Listed } from '../../endpoint.ts';

export function attemptView<Attempt extends Listed<DeliveryService['attempts']>>(attempt: Attempt) {
  const { started_at, reader, replay, ...rest } = attempt;
  return {
    ...rest,
    app: readerApp(reader),
    started_at: isoTime(started_at),
    delivered: attempt.error === '',
    replay: replay === 1,
  };
}
