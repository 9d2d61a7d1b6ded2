import { Button, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { changeData } from '../../../api/client/change-data.ts';
import { botName, botsQuery, deleteBot } from '../../../api/bots.ts';
import type { Bot } from '../../../api/client/types.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { Confirm } from '../../../ui/feedback/confirm.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { Panel } from '../../../ui/page.tsx';
import { SettingRow } from '../../../ui/forms/setting-row.tsx';
import { useAction } from '../../../shared/use-action.ts';
import { ToggleBot } from '../toggle-bot.tsx';

export function BotDanger(props: { bot: Bot }) {
  const { bot } = props;
  const t = useT();
  const [asking, setAsking] = useState(false);
  return (
    <Panel>
      <SettingRow
        name={t.bot.disableTitle}
        hint={t.bot.disableHint}
        control={<ToggleBot bot={bot} />}
      />
      <SettingRow
        name={t.bot.deleteTitle}
        hint={t.bot.deleteHint}
        control={
          <Button
            color="red.9"
            leftSection={<Icon name="trash" size={16} />}
            onClick={() => setAsking(true)}
          >
            {t.common.delete}
          </Button>
        }
      />
      <DeleteDialog bot={bot} opened={asking} onClose={() => setAsking(false)} />
    </Panel>
  );
}

function DeleteDialog(props: { bot: Bot; opened: boolean; onClose: () => void }) {
  const { bot } = props;
  const t = useT();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const name = botName(bot);
  const remove = useAction({
    run: () => deleteBot(bot.id),
    done: () => {
      void navigate({ to: '/bots' });
      changeData(client, botsQuery.queryKey, (bots) => bots.filter((one) => one.id !== bot.id));
      void client.invalidateQueries();
      return t.bots.deleted(name);
    },
  });
  return (
    <Confirm
      opened={props.opened}
      onClose={props.onClose}
      title={t.bot.deleteAsk(name)}
      confirmLabel={t.bot.deleteButton}
      busy={remove.isPending}
      disabled={typed.trim() !== name}
      onConfirm={() => remove.mutate(undefined)}
    >
      <p style={{ marginTop: 0 }}>{t.bot.deleteHint}</p>
      <TextInput
        label={t.bot.deleteType(name)}
        autoComplete="off"
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
    </Confirm>
  );
}
