import { Button } from '@mantine/core';
import type { Bot } from '../../api/client/types.ts';
import { useT } from '../../i18n/use-t.tsx';
import { Icon } from '../../ui/icon.tsx';
import { useToggleBot } from './use-toggle-bot.ts';

export function ToggleBot(props: { bot: Bot }) {
  const { bot } = props;
  const { bots } = useT();
  const toggle = useToggleBot();
  return (
    <Button
      variant="default"
      leftSection={<Icon name={bot.disabled ? 'play' : 'pause'} size={16} />}
      loading={toggle.isPending}
      onClick={() => toggle.mutate(bot)}
    >
      {bot.disabled ? bots.enable : bots.disable}
    </Button>
  );
}
