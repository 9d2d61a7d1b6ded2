import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { AlertKind } from '../../api/alerts.ts';
import { botName, botsQuery } from '../../api/bots.ts';
import { useT } from '../../i18n/use-t.tsx';
import { LinkButton } from '../../ui/link-button.tsx';
import { type AlertSubject, useAlertAction, useRunAlertAction } from './use-alert-action.ts';
import { useMay } from '../use-session.ts';

/** The tab of the bot that shows more; other kinds have theirs among the deliveries. */
const tabs: Partial<Record<AlertKind, 'settings' | 'sends' | 'apps' | 'log'>> = {
  bot_refused: 'settings',
  bot_conflict: 'settings',
  bot_trouble: 'settings',
  weak_secret: 'settings',
  webhook_moved: 'settings',
  bot_disabled: 'settings',
  certificate_expiring: 'settings',
  unknown_sends: 'sends',
  failed_sends: 'sends',
  app_not_seen: 'apps',
  pattern_undecided: 'apps',
  reader_lag: 'log',
};

/** Returns the page with more about an alert. */
export function alertLink({ app, bot_id, kind, route_id }: AlertSubject) {
  if (route_id !== undefined) return { to: '/routes', search: { route: route_id } } as const;
  if (kind === 'model_budget') return { to: '/routes' } as const;
  if (bot_id === 0) return { to: '/settings' } as const;
  return {
    to: '/bots/$botId',
    params: { botId: String(bot_id) },
    search: { tab: tabs[kind] ?? 'deliveries', ...(app === undefined ? {} : { app }) },
  } as const;
}

/** Shows the one-click action of an alert, or a link to the page with details. */
export function AlertDo(props: { alert: AlertSubject; name: string }) {
  const { alert, name } = props;
  const { common, overview } = useT();
  const may = useMay('manage');
  const { data: bots = [] } = useQuery(botsQuery);
  const known = useAlertAction(alert, name);
  const startsTarget = alert.kind === 'route_to_disabled';
  const target = bots.find(({ id }) => id === alert.target_bot_id);
  // Bots of other users cannot be enabled.
  const action = startsTarget && !target ? undefined : known;
  const running = useRunAlertAction(action, startsTarget && target ? botName(target) : name);
  const look = { size: 'compact-sm', variant: 'light' } as const;
  return action && may ? (
    <Button
      {...look}
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
