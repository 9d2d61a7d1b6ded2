import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { addBot, botName, botsQuery } from '../../api/bots.ts';
import { post } from '../../api/client/client.ts';
import type { Bot } from '../../api/client/types.ts';
import { useT } from '../../i18n/use-t.tsx';
import { useAction } from '../../shared/use-action.ts';
import { toast } from '../../ui/feedback/toast.tsx';

interface NewBotSettings {
  name?: string;
  polls?: boolean;
}

/** Creates a bot in the sandbox and adds it like any other. */
export function usePracticeBot(done: (bot: Bot) => void) {
  const t = useT();
  const client = useQueryClient();
  return useAction({
    run: async (settings: NewBotSettings | undefined) => {
      const count = (client.getQueryData(botsQuery.queryKey)?.length ?? 0) + 1;
      const numbered = count > 1 ? `${t.welcome.practiceName} ${count}` : t.welcome.practiceName;
      const name = settings?.name || numbered;
      const issued = await post('/api/sandbox/bots/create', { body: { first_name: name } });
      return addBot({
        token: issued.token,
        name,
        manage_enabled: true,
        long_poll_enabled: settings?.polls ?? false,
      });
    },
    refreshes: [botsQuery.queryKey, ['sandbox']],
    done: (bot) => done(bot),
  });
}

/** Says that a practice bot was added, and links to the sandbox, where the user can write to it. */
export function usePracticeToast(): (bot: Bot) => void {
  const { bots } = useT();
  const navigate = useNavigate();
  return (bot) => {
    const action = { name: bots.writeToIt, run: () => void navigate({ to: '/phones' }) };
    toast(bots.added(botName(bot)), { action });
  };
}
