import { Alert, Button, Group } from '@mantine/core';
import { useState } from 'react';
import {
  addChannel,
  type AlertChannel,
  type ChannelChange,
  type CreatedAlertChannel,
  updateChannel,
} from '../../api/alerts.ts';
import type { Bot } from '../../api/client/types.ts';
import { useT } from '../../i18n/use-t.tsx';
import { useAction } from '../../shared/use-action.ts';
import { Dialog } from '../../ui/feedback/dialog.tsx';
import { CopyLine } from '../../ui/forms/copy-line.tsx';
import { DraftDialog } from '../../ui/forms/draft-dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import css from './alerts.module.css';
import { changeTo, settingsOf } from './channel-draft.ts';
import { ChannelForm } from './channel-form.tsx';
import { useRefreshChannels } from './channel-row.tsx';
import { useTargetName } from './use-channel-name.ts';

export function AddChannelDialog(props: {
  bots: Bot[];
  onSecret: (channel: CreatedAlertChannel) => void;
  onClose: () => void;
}) {
  const { bots } = props;
  const { alerts } = useT();
  const refresh = useRefreshChannels();
  const nameOf = useTargetName(bots.map(({ id }) => id));
  const [isChanged, setChanged] = useState(false);
  const add = useAction({
    run: addChannel,
    quiet: true,
    done: (channel) => {
      refresh();
      props.onClose();
      if (channel.type === 'telegram') return alerts.added(nameOf(channel));
      return props.onSecret(channel);
    },
  });
  return (
    <DraftDialog isChanged={isChanged} onClose={props.onClose} title={alerts.add} size="lg">
      <ChannelForm
        bots={bots}
        submit={alerts.add}
        error={add.error}
        busy={add.isPending}
        onChanged={() => setChanged(true)}
        onSubmit={(draft) => add.mutate({ type: draft.type, ...settingsOf(draft) })}
      />
    </DraftDialog>
  );
}

export function EditChannelDialog(props: {
  bots: Bot[];
  channel: AlertChannel;
  name: string;
  onClose: () => void;
}) {
  const { bots, channel } = props;
  const { alerts, common } = useT();
  const refresh = useRefreshChannels();
  const [isChanged, setChanged] = useState(false);
  const takeBack = useAction({ run: updateChannel, done: refresh });
  const save = useAction({
    run: (change: ChannelChange) => updateChannel(change),
    quiet: true,
    done: () => {
      refresh();
      props.onClose();
      return { words: common.saved, undo: () => takeBack.mutate(changeTo(channel)) };
    },
  });
  return (
    <DraftDialog
      isChanged={isChanged}
      onClose={props.onClose}
      title={alerts.editTitle(props.name)}
      size="lg"
    >
      <ChannelForm
        bots={bots}
        channel={channel}
        submit={common.save}
        error={save.error}
        busy={save.isPending}
        onChanged={() => setChanged(true)}
        onSubmit={(draft) => save.mutate({ id: channel.id, ...settingsOf(draft) })}
      />
    </DraftDialog>
  );
}

/** Shows the signing secret of a webhook once, right after it was added. */
export function SecretDialog(props: { secret: string; onClose: () => void }) {
  const { alerts, common } = useT();
  return (
    <Dialog
      title={alerts.secretTitle}
      size="lg"
      onClose={props.onClose}
      // An accidental click must not close it, because the secret is shown only once.
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <div className={css.form}>
        <Alert color="yellow" icon={<Icon name="warn" />}>
          {alerts.secretOnce}
        </Alert>
        <CopyLine text={props.secret} label={common.labelled(common.copy, alerts.secret)} />
        <Group justify="flex-end">
          <Button onClick={props.onClose}>{alerts.secretCopied}</Button>
        </Group>
      </div>
    </Dialog>
  );
}
