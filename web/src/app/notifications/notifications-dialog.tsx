import { Alert, Switch } from '@mantine/core';
import { useState } from 'react';
import { useT } from '../../i18n/use-t.tsx';
import { useMay } from '../../shared/use-session.ts';
import { Dialog } from '../../ui/feedback/dialog.tsx';
import {
  chooseNotifyKinds,
  type NotifyKind,
  notifyKinds,
  notifyPermission,
  useNotifyKinds,
} from './notify-kinds.ts';

const ofAlerts: ReadonlySet<NotifyKind> = new Set(['critical', 'alerts']);

/** Chooses what this browser tells the user about; the browser is asked when the first is chosen. */
export function NotificationsDialog(props: { onClose: () => void }) {
  const { notifications } = useT();
  const chosen = useNotifyKinds();
  const seesAlerts = useMay('bots', 'read');
  const offered = notifyKinds.filter((kind) => seesAlerts || !ofAlerts.has(kind));
  const [permission, setPermission] = useState(notifyPermission);
  const isBarred = permission === 'missing' || permission === 'denied';

  async function choose(kind: NotifyKind, isChosen: boolean): Promise<void> {
    if (isChosen && permission === 'default') {
      const answer = await Notification.requestPermission();
      setPermission(answer);
      if (answer !== 'granted') return;
    }
    chooseNotifyKinds(isChosen ? [...chosen, kind] : chosen.filter((one) => one !== kind));
  }

  return (
    <Dialog title={notifications.title} onClose={props.onClose}>
      <div className="stack">
        <p>{notifications.hint}</p>
        {isBarred ? (
          <Alert color="yellow">
            {permission === 'denied' ? notifications.denied : notifications.missing}
          </Alert>
        ) : null}
        {offered.map((kind) => (
          <Switch
            key={kind}
            label={notifications.kinds[kind]}
            description={notifications.kindHints[kind]}
            disabled={isBarred}
            checked={permission === 'granted' && chosen.includes(kind)}
            onChange={(event) => void choose(kind, event.currentTarget.checked)}
          />
        ))}
      </div>
    </Dialog>
  );
}
