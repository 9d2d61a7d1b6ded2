import { useQueryClient } from '@tanstack/react-query';
import { checkBackend, replay, retryNow } from '../../api/deliveries.ts';
import type { Finding } from '../../api/operation.ts';
import { startBot } from '../../api/bots.ts';
import { inWords } from '../../i18n/phrase.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useT } from '../../i18n/use-t.tsx';
import { toast } from '../../ui/toast.tsx';
import { useAction } from '../../ui/use-action.ts';

interface Mended {
  words: string;
  /** It was tried, and did not help. */
  bad?: boolean;
}

export interface Mend {
  name: string;
  run: () => Promise<Mended>;
}

/** What one click can do about a finding; undefined where a person has to look first. */
export function useMend(finding: Finding): Mend | undefined {
  const { overview, phrases } = useT();
  const format = useFormat();
  const { bot_id: botId, kind } = finding;
  switch (kind) {
    case 'backend_down':
      return {
        name: overview.tryNow,
        async run() {
          const { duration_ms, error, reachable } = await checkBackend(botId);
          if (!reachable) return { words: inWords(error, phrases), bad: true };
          await retryNow(botId);
          return { words: overview.answersAgain(format.duration(duration_ms)) };
        },
      };
    case 'chats_parked':
      return {
        name: overview.tryNow,
        run: async () => ({
          words: overview.triedNow(format.number((await retryNow(botId)).queues)),
        }),
      };
    case 'dead_letters':
      return {
        name: overview.deliverAgain,
        async run() {
          const { queued } = await replay({ bot_id: botId, all_dead: true });
          return { words: overview.queuedAgain(format.number(queued)) };
        },
      };
    case 'bot_disabled':
      return { name: overview.start, run: () => start(botId) };
    case 'route_to_disabled':
      return { name: overview.startTarget, run: () => start(finding.target_bot_id ?? 0) };
    default:
      return undefined;
  }

  async function start(id: number): Promise<Mended> {
    await startBot(id);
    return { words: overview.started };
  }
}

export function useMending(mend: Mend | undefined) {
  const client = useQueryClient();
  return useAction({
    run: async () => mend?.run(),
    done(mended) {
      void client.invalidateQueries({ queryKey: ['attention'] });
      void client.invalidateQueries({ queryKey: ['bots'] });
      if (mended?.bad) toast(mended.words, { tone: 'bad' });
      return mended?.bad ? undefined : mended?.words;
    },
  });
}
