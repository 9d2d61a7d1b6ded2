import { Alert, Button, Switch } from '@mantine/core';
import { useState } from 'react';
import { botsQuery, updateBot } from '../../../api/bots.ts';
import type { Bot } from '../../../api/client/types.ts';
import { useMay } from '../../../shared/use-session.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { Panel } from '../../../ui/page.tsx';
import { useAction } from '../../../shared/use-action.ts';
import { ConnectLines } from './connect-lines.tsx';

/** Shows how an app connects with the bot's own token. */
export function BotConnect(props: { bot: Bot }) {
  const { bot } = props;
  const t = useT();
  const may = useMay('bots', 'manage');
  const [shown, setShown] = useState(false);
  const token = shown ? bot.token : `${bot.token.split(':')[0]}:…`;
  return (
    <Panel
      title={t.bot.connectTitle}
      hint={t.bot.connectHint}
      actions={
        may ? (
          <Switch
            label={t.bot.showToken}
            checked={shown}
            onChange={(event) => setShown(event.currentTarget.checked)}
          />
        ) : null
      }
    >
      {bot.backend_url === '' ? null : (
        <Alert color="yellow" icon={<Icon name="info" />} mb="md">
          {t.bot.connectBackend} <a href="/docs/apps">{t.bot.appsGuide}</a>
        </Alert>
      )}
      {bot.long_poll_enabled ? null : (
        <Alert color="yellow" icon={<Icon name="info" />} mb="md">
          {t.bot.pollHint}
          {may ? <LetPoll bot={bot} /> : null}
        </Alert>
      )}
      <ConnectLines token={token} polls />
    </Panel>
  );
}

function LetPoll(props: { bot: Bot }) {
  const { id } = props.bot;
  const t = useT();
  const takeBack = useAction({ run: updateBot, refreshes: [botsQuery.queryKey] });
  const turnOn = useAction({
    run: updateBot,
    refreshes: [botsQuery.queryKey],
    done: () => {
      const undo = () => takeBack.mutate({ id, long_poll_enabled: false });
      return { words: t.bot.pollIsOn, undo };
    },
  });
  return (
    <div>
      <Button
        mt="xs"
        size="compact-sm"
        variant="default"
        loading={turnOn.isPending}
        onClick={() => turnOn.mutate({ id, long_poll_enabled: true })}
      >
        {t.bot.pollOn}
      </Button>
    </div>
  );
}
