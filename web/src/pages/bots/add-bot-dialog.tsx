import { Button, Group, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { addBot, botName, botsQuery } from '../../api/bots.ts';
import { botSetting } from '../../api/bot-settings.ts';
import { useT } from '../../i18n/use-t.tsx';
import { Dialog } from '../../ui/feedback/dialog.tsx';
import { ErrorBox } from '../../shared/error-box.tsx';
import { isShownAtFields } from '../../shared/error-words.ts';
import { toast } from '../../ui/feedback/toast.tsx';
import { useAction } from '../../shared/use-action.ts';
import { PollingChoice } from './settings/polling-choice.tsx';
import { usePracticeBot, usePracticeToast } from './practice-bot.ts';
import { TokenField } from './settings/token-field.tsx';
import { withoutReload } from '../../ui/forms/without-reload.ts';

export function AddBotDialog(props: { opened: boolean; onClose: () => void }) {
  const t = useT();
  return (
    <Dialog opened={props.opened} onClose={props.onClose} title={t.bots.add} size="md">
      <AddBotForm />
    </Dialog>
  );
}

function AddBotForm() {
  const t = useT();
  const navigate = useNavigate();
  const [token, setToken] = useState('');
  const [name, setName] = useState('');
  const [polls, setPolls] = useState(false);
  const show = (id: number) =>
    void navigate({
      to: '/bots/$botId',
      params: { botId: String(id) },
      ...(polls ? { search: { tab: 'apps' as const } } : {}),
    });
  const sayAdded = usePracticeToast();
  const practice = usePracticeBot((bot) => {
    show(bot.id);
    sayAdded(bot);
  });
  const add = useAction({
    run: addBot,
    quiet: true,
    refreshes: [botsQuery.queryKey],
    done: (bot) => {
      show(bot.id);
      const isUnnamed = bot.username === '';
      toast(t.bots.added(botName(bot)), isUnnamed ? { detail: t.bots.addedUnnamed } : {});
    },
  });
  // Another token is a new attempt.
  const refused = add.variables?.token === token.trim() ? add.error : null;
  function onSubmit(): void {
    add.mutate({
      token: token.trim(),
      long_poll_enabled: polls,
      ...(name.trim() ? { name: name.trim() } : {}),
    });
  }
  return (
    <form onSubmit={withoutReload(onSubmit)}>
      <TokenField value={token} onChange={setToken} refused={refused} />
      <TextInput
        label={t.bots.nameLabel}
        description={t.bots.nameHint}
        value={name}
        maxLength={botSetting('name').maxLength ?? 0}
        mb="md"
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <PollingChoice checked={polls} onChange={setPolls} />
      {refused && !isShownAtFields(refused, ['token']) ? <ErrorBox error={refused} /> : null}
      <Group justify="space-between" mt="lg">
        <Button
          variant="subtle"
          px={8}
          loading={practice.isPending}
          onClick={() => practice.mutate({ name: name.trim(), polls })}
        >
          {t.bots.practice}
        </Button>
        <Button type="submit" loading={add.isPending} disabled={token.trim() === ''}>
          {t.bots.addFull}
        </Button>
      </Group>
    </form>
  );
}
