import { Tabs } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useT } from '../../i18n/use-t.tsx';
import { useMayAddBots } from '../../shared/use-session.ts';
import { lazyPart } from '../../ui/feedback/lazy-dialog.tsx';
import { Page } from '../../ui/page.tsx';
import { OpenAlerts, ResolvedAlerts } from './alert-log.tsx';

const ChannelsPanel = lazyPart(async () => (await import('./channels-panel.tsx')).ChannelsPanel);

export function AlertsPage() {
  const { alerts } = useT();
  // Channels receive alerts of all bots.
  const isForAll = useMayAddBots();
  const { add, tab } = useSearch({ from: '/frame/alerts' });
  const navigate = useNavigate();
  const log = (
    <div className="stack">
      <OpenAlerts />
      <ResolvedAlerts />
    </div>
  );
  return (
    <Page title={alerts.title} lead={alerts.lead}>
      {isForAll ? (
        <Tabs
          value={add ? 'channels' : (tab ?? 'log')}
          keepMounted={false}
          onChange={(next) =>
            void navigate({
              to: '/alerts',
              search: next === 'channels' ? { tab: 'channels' } : {},
              replace: true,
            })
          }
        >
          <Tabs.List mb="md">
            <Tabs.Tab value="log">{alerts.title}</Tabs.Tab>
            <Tabs.Tab value="channels">{alerts.channels}</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="log">{log}</Tabs.Panel>
          <Tabs.Panel value="channels">
            <ChannelsPanel />
          </Tabs.Panel>
        </Tabs>
      ) : (
        log
      )}
    </Page>
  );
}
