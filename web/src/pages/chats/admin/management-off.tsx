import { Button } from '@mantine/core';
import { botName, botsQuery, updateBot } from '../../../api/bots.ts';
import type { Bot } from '../../../api/client/types.ts';
import { useMay } from '../../../shared/use-session.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { useAction } from '../../../shared/use-action.ts';

/** One click to switch on chat management for a bot. */
export function EnableManagement(props: { bot: Bot }) {
  const t = useT();
  const may = useMay('bots', 'manage');
  const enable = useAction({
    run: () => updateBot({ id: props.bot.id, manage_enabled: true }),
    refreshes: [botsQuery.queryKey],
    done: () => t.people.managementOn(botName(props.bot)),
  });
  if (!may) return <span>{t.people.askForManagement}</span>;
  return (
    <Button
      size="compact-sm"
      variant="light"
      loading={enable.isPending}
      onClick={() => enable.mutate(undefined)}
    >
      {t.people.enableManagement}
    </Button>
  );
}
