import { useState } from 'react';
import { addApp, type App, type AppChange, type CreatedApp, updateApp } from '../../../api/apps.ts';
import type { Bot } from '../../../api/client/types.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { useAction } from '../../../shared/use-action.ts';
import { toast } from '../../../ui/feedback/toast.tsx';
import { DraftDialog } from '../../../ui/forms/draft-dialog.tsx';
import { changeTo, settingsOf, validName } from './app-draft.ts';
import { AppForm } from './app-form.tsx';
import { warningWords } from './app-problems.ts';
import { useRefreshApps } from './use-refresh-apps.ts';

export function AddAppDialog(props: {
  bot: Bot;
  onAdded: (app: CreatedApp) => void;
  onClose: () => void;
}) {
  const { bot } = props;
  const { apps } = useT();
  const refresh = useRefreshApps(bot.id);
  const [isChanged, setChanged] = useState(false);
  const add = useAction({
    run: addApp,
    quiet: true,
    done: (app) => {
      refresh();
      props.onAdded(app);
    },
  });
  return (
    <DraftDialog isChanged={isChanged} onClose={props.onClose} title={apps.add} size="lg">
      <AppForm
        bot={bot}
        submit={apps.add}
        error={add.error}
        busy={add.isPending}
        onChanged={() => setChanged(true)}
        onSubmit={(draft) =>
          add.mutate({ bot_id: bot.id, name: validName(draft.name), ...settingsOf(draft) })
        }
      />
    </DraftDialog>
  );
}

export function EditAppDialog(props: { bot: Bot; app: App; onClose: () => void }) {
  const { app, bot } = props;
  const t = useT();
  const refresh = useRefreshApps(bot.id);
  const [isChanged, setChanged] = useState(false);
  const takeBack = useAction({ run: updateApp, done: refresh });
  const save = useAction({
    run: (change: AppChange) => updateApp(change),
    quiet: true,
    done: (saved) => {
      refresh();
      props.onClose();
      const detail = warningWords(saved, t).join(' ');
      const undo = () => takeBack.mutate(changeTo(app));
      toast(t.common.saved, { undo, ...(detail === '' ? {} : { detail }) });
    },
  });
  return (
    <DraftDialog
      isChanged={isChanged}
      onClose={props.onClose}
      title={t.apps.editTitle(app.name)}
      size="lg"
    >
      <AppForm
        bot={bot}
        app={app}
        submit={t.common.save}
        error={save.error}
        busy={save.isPending}
        onChanged={() => setChanged(true)}
        onSubmit={(draft) => save.mutate({ id: app.id, ...settingsOf(draft) })}
      />
    </DraftDialog>
  );
}
