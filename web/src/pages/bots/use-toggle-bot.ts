import { useQueryClient } from '@tanstack/react-query';
import { botName, botsQuery, toggleBot } from '../../api/bots.ts';
import type { Bot } from '../../api/types.ts';
import { useT } from '../../i18n/use-t.tsx';
import { toast } from '../../ui/toast.tsx';
import { useAction } from '../../ui/use-action.ts';

/** Stops or starts a bot; stopping can be taken back at once. */
export function useToggleBot() {
  const t = useT();
  const client = useQueryClient();
  const action = useAction({
    run: (bot: Bot) => toggleBot(bot.id),
    done: (changed) => {
      client.setQueryData(botsQuery.queryKey, (bots) =>
        bots?.map((bot) => (bot.id === changed.id ? changed : bot)),
      );
      const name = botName(changed);
      if (!changed.disabled) return t.bots.nowEnabled(name);
      toast(t.bots.nowDisabled(name), { undo: () => action.mutate(changed) });
      return undefined;
    },
  });
  return action;
}
