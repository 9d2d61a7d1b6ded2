import { ActionIcon, Button, Group, Menu } from '@mantine/core';
import { acknowledge, type Alert, mute, type OpenAlert } from '../../api/alerts.ts';
import type { Format } from '../../i18n/format.ts';
import type { Messages } from '../../i18n/messages.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useT } from '../../i18n/use-t.tsx';
import { toast } from '../../ui/feedback/toast.tsx';
import { Icon } from '../../ui/icon.tsx';
import { useAction } from '../use-action.ts';
import { useMay, useSession } from '../use-session.ts';
import { alertName, isMuted } from './alert-words.ts';

type Handled = Pick<
  Alert,
  | 'acknowledged_at'
  | 'acknowledged_by'
  | 'action'
  | 'action_at'
  | 'action_by'
  | 'muted_by'
  | 'muted_until'
>;

const minutesOfMutes = [60, 480, 1_440];
const minuteMs = 60_000;

/** Says who took care of an alert, and when. */
export function handlingWords(alert: Handled, { alerts }: Messages, format: Format): string[] {
  const { acknowledged_at, acknowledged_by, action, action_at, action_by, muted_by } = alert;
  return [
    ...(action === '' ? [] : [alerts.did[action](action_by, format.moment(action_at))]),
    ...(acknowledged_by === ''
      ? []
      : [alerts.acknowledgedBy(acknowledged_by, format.moment(acknowledged_at))]),
    ...(isMuted(alert) ? [alerts.mutedUntil(format.moment(alert.muted_until), muted_by)] : []),
  ];
}

/** Lets people say that they take care of an open alert, and mute it. */
export function AlertHandling(props: { alert: OpenAlert }) {
  const { alert } = props;
  const { alert_id: id } = alert;
  const t = useT();
  const { alerts, common } = t;
  const format = useFormat();
  const me = useSession().name;
  const may = useMay('bots', 'manage');
  const refreshes = [['attention'], ['alerts']];
  const name = alertName(alert, t);
  const acknowledging = useAction({
    run: (isAcknowledged: boolean) => acknowledge(id, isAcknowledged),
    refreshes,
    done({ acknowledged_by: by }, isAcknowledged) {
      if (isAcknowledged && by !== me) toast(alerts.alreadyHas(by), { tone: 'idle', about: name });
    },
  });
  const muting = useAction({ run: (minutes: number) => mute(id, minutes), refreshes });
  // The record of a new alert comes seconds after it.
  if (!may || id === 0) return null;
  const isAcknowledged = alert.acknowledged_by !== '';
  return (
    <Group gap="xs" wrap="nowrap">
      {isAcknowledged ? null : (
        <Button
          size="compact-sm"
          variant="default"
          data-act="a"
          loading={acknowledging.isPending}
          aria-label={common.labelled(alerts.acknowledge, name)}
          onClick={() => acknowledging.mutate(true)}
        >
          {alerts.acknowledge}
        </Button>
      )}
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={common.labelled(common.actions, name)}
            loading={muting.isPending}
          >
            <Icon name="dots" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {isMuted(alert) ? (
            <Menu.Item onClick={() => muting.mutate(0)}>{alerts.unmute}</Menu.Item>
          ) : (
            minutesOfMutes.map((minutes) => (
              <Menu.Item key={minutes} onClick={() => muting.mutate(minutes)}>
                {alerts.muteFor(format.span(minutes * minuteMs))}
              </Menu.Item>
            ))
          )}
          {isAcknowledged ? (
            <Menu.Item onClick={() => acknowledging.mutate(false)}>{alerts.takeBack}</Menu.Item>
          ) : null}
        </Menu.Dropdown>
      </Menu>
    </Group>
  );
}
