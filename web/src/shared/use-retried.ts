import type { watchAttempts } from '../api/follow-attempts.ts';
import { reasonWords } from '../i18n/reasons.ts';
import { useFormat } from '../i18n/use-format.ts';
import { useT } from '../i18n/use-t.tsx';
import { toast } from '../ui/feedback/toast.tsx';

/** Reports the result of a retry with the bot's name: another page may be open by then. */
export function useRetryToast(
  about: string,
): (followed: Awaited<ReturnType<typeof watchAttempts>>) => void {
  const { deliveries, reasons } = useT();
  const format = useFormat();
  return ({ asked, delivered, failed, reason, reason_detail }) => {
    const bad = {
      about,
      tone: 'bad',
      detail: reasonWords(reason, reason_detail, reasons),
    } as const;
    if (failed > 0 && delivered > 0) {
      toast(deliveries.retriedSome(delivered, format.number(failed)), bad);
    } else if (failed > 0) toast(deliveries.retriedNone, bad);
    else if (delivered >= asked && delivered > 0)
      toast(deliveries.retriedAll(delivered), { about });
    else if (delivered > 0) toast(deliveries.retriedPart(delivered), { about });
    else toast(asked === 0 ? deliveries.nothingToRetry : deliveries.queuedForRetry, { about });
  };
}
