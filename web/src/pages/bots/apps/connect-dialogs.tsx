import { Alert, Button, Group, Loader } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type App, appsQuery, type CreatedApp } from '../../../api/apps.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { Dialog } from '../../../ui/feedback/dialog.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { warningWords } from './app-problems.ts';
import css from './apps.module.css';
import { ConnectLines } from './connect-lines.tsx';

const lookAgainMs = 1_500;

/** Shows the token of an app once, right after it was created. */
export function NewTokenDialog(props: { app: CreatedApp; isNew: boolean; onClose: () => void }) {
  const { app, isNew } = props;
  const t = useT();
  const { apps } = t;
  return (
    <Dialog
      title={isNew ? apps.addedTitle(app.name) : apps.rotatedTitle(app.name)}
      size="lg"
      onClose={props.onClose}
      // The token is shown only once, so an accidental click must not close the dialog.
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <div className={css.form}>
        {warningWords(app, t).map((words) => (
          <Alert key={words} color="yellow" icon={<Icon name="warn" />}>
            {words}
          </Alert>
        ))}
        <ConnectLines token={app.token} polls={app.mode === 'poll'} appName={app.name} isOnce />
        {isNew ? <FirstCall app={app} /> : null}
        <Group justify="flex-end">
          <Button onClick={props.onClose}>{apps.tokenCopied}</Button>
        </Group>
      </div>
    </Dialog>
  );
}

/** Shows how an app connects that has its token already. */
export function ConnectDialog(props: { app: App; platformId: string; onClose: () => void }) {
  const { app } = props;
  const { apps } = useT();
  return (
    <Dialog title={apps.connectTitle(app.name)} size="lg" onClose={props.onClose}>
      <div className={css.form}>
        <p className={css.hint}>{app.has_token ? apps.tokenHidden : apps.tokenNone}</p>
        <ConnectLines
          token={`${props.platformId}:…`}
          polls={app.mode === 'poll'}
          appName={app.name}
        />
        <FirstCall app={app} />
      </div>
    </Dialog>
  );
}

function FirstCall(props: { app: Pick<App, 'id' | 'bot_id' | 'mode'> }) {
  const { app } = props;
  const { apps } = useT();
  const isSeen = (list: App[] | undefined) =>
    list?.some((one) => one.id === app.id && one.last_seen_at !== '') ?? false;
  const query = useQuery({
    ...appsQuery(app.bot_id),
    refetchInterval: ({ state }) => (isSeen(state.data) ? false : lookAgainMs),
  });
  return isSeen(query.data) ? (
    <div className={css.firstCall} data-seen role="status">
      <Icon name="check" size={20} />
      <strong>{apps.states.connected}</strong>
    </div>
  ) : (
    <div className={css.firstCall} role="status">
      <Loader size={18} aria-hidden="true" />
      <div>
        <strong>{apps.waiting}</strong>
        <span className={css.hint}>{apps.waitingHints[app.mode]}</span>
      </div>
    </div>
  );
}
