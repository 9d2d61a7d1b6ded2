import type { followAttempts } from '../api/follow-attempts.ts';
import { inWords } from '../i18n/phrase.ts';
import { useFormat } from '../i18n/use-format.ts';
import { useT } from '../i18n/use-t.tsx';
import { toast } from './toast.tsx';

/** Says what came of trying the backend again. */
export function useSayRetried(): (followed: Awaited<ReturnType<typeof followAttempts>>) => void {
  const { deliveries, phrases } = useT();
  const format = useFormat();
  return ({ asked, delivered, failed, reason }) => {
    const done = format.number(delivered);
    const detail = { detail: inWords(reason, phrases) };
    if (failed > 0 && delivered > 0) {
      toast(deliveries.retriedSome(done, format.number(failed)), { tone: 'bad', ...detail });
    } else if (failed > 0) toast(deliveries.retriedNone, { tone: 'bad', ...detail });
    else if (delivered >= asked && delivered > 0) toast(deliveries.retriedAll(done));
    else if (delivered > 0) toast(deliveries.retriedPart(done));
    else toast(asked === 0 ? deliveries.nothingToRetry : deliveries.notTriedYet);
  };
}
