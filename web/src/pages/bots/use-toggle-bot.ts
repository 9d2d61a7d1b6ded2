import { useQueryClient } from '@tanstack/react-query';
import { botName, cacheBot, startBot, toggleBot } from '../../api/bots.ts';
import type { Bot } from '../../api/client/types.ts';
import { useT } from '../../i18n/use-t.tsx';
import { useAction } from '../../shared/use-action.ts';

/** Disables or enables a bot; disabling can be undone at once. */
export function useToggleBot() {
  const t = useT();
  const client = useQueryClient();
  const startAgain = useAction({
    run: ({ id }: Bot) => startBot(id),
    done: (changed) => {
      cacheBot(client, changed);
      return t.bots.nowEnabled(botName(changed));
    },
  });
  return useAction({
    run: ({ id }: Bot) => toggleBot(id),
    done: (changed) => {
      cacheBot(client, changed);
      if (!changed.disabled) return t.bots.nowEnabled(botName(changed));
      return {
        words: t.bots.nowDisabled(botName(changed)),
        undo: () => startAgain.mutate(changed),
      };
    },
  });
}
