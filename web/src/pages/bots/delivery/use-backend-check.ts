import { useQueryClient } from '@tanstack/react-query';
import { defaultApp } from '../../../api/apps.ts';
import { botsQuery } from '../../../api/bots.ts';
import { checkBackend } from '../../../api/deliveries.ts';
import { reasonWords } from '../../../i18n/reasons.ts';
import { useFormat } from '../../../i18n/use-format.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { oddAnswer } from '../../../shared/backend-words.ts';
import { toast } from '../../../ui/feedback/toast.tsx';
import { useAction } from '../../../shared/use-action.ts';

/**
 * Checks the backend of a bot or of one of its apps; set `quiet` if the result is shown next to the
 * button.
 */
export function useBackendCheck(
  botId: number,
  { app = defaultApp, ...options }: { quiet?: boolean; app?: string } = {},
) {
  const t = useT();
  const format = useFormat();
  const client = useQueryClient();
  return useAction({
    run: async () => {
      const result = await checkBackend(botId, app);
      await client.invalidateQueries({ queryKey: botsQuery.queryKey });
      return result;
    },
    done(check) {
      if (options.quiet) return undefined;
      const { duration_ms, error, error_detail, reachable } = check;
      const odd = oddAnswer(check, t, format);
      if (odd !== '') {
        toast(t.common.labelled(t.bot.backend, odd), { tone: 'idle' });
        return undefined;
      }
      if (reachable) return t.bot.backendAnswers(format.duration(duration_ms));
      toast(t.bot.backendUnreached, {
        tone: 'bad',
        detail: reasonWords(error, error_detail, t.reasons),
      });
      return undefined;
    },
    ...options,
  });
}
