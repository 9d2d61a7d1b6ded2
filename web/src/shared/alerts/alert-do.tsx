import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { kindOf } from '../../api/alerts.ts';
import { botName, botsQuery } from '../../api/bots.ts';
import { useT } from '../../i18n/use-t.tsx';
import { LinkButton } from '../../ui/link-button.tsx';
import { useMay } from '../use-session.ts';
import { alertLink } from './alert-link.ts';
import { alertName, type AnyAlert, paramsOf } from './alert-words.ts';
import { useAlertAction, useRunAlertAction } from './use-alert-action.ts';

/** Shows the one-click action of an alert, or a link to the page with details. */
export function AlertDo(props: { alert: AnyAlert }) {
  const { alert } = props;
  const t = useT();
  const { common, overview } = t;
  const may = useMay('bots', 'manage');
  const { data: bots = [] } = useQuery(botsQuery);
  const name = alertName(alert, t);
  const known = useAlertAction(alert, name);
  const startsTarget = kindOf(alert.kind).action === 'enable_target';
  const target = bots.find(({ id }) => id === paramsOf(alert).target_bot_id);
  // Bots of other users cannot be enabled.
  const action = startsTarget && !target ? undefined : known;
  const running = useRunAlertAction(action, startsTarget && target ? botName(target) : name);
  const look = { size: 'compact-sm', variant: 'light' } as const;
  return action && may ? (
    <Button
      {...look}
      data-act={kindOf(alert.kind).action?.startsWith('enable') ? 'e' : 'r'}
      loading={running.isPending}
      aria-label={common.labelled(action.name, name)}
      onClick={() => running.mutate(undefined)}
    >
      {action.name}
    </Button>
  ) : (
    <LinkButton {...alertLink(alert)} {...look} aria-label={common.labelled(overview.open, name)}>
      {overview.open}
    </LinkButton>
  );
}
