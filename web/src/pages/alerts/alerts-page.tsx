import { useT } from '../../i18n/use-t.tsx';
import { useMayAddBots } from '../../shared/use-session.ts';
import { Page } from '../../ui/page.tsx';
import { OpenAlerts, ResolvedAlerts } from './alert-log.tsx';
import { ChannelsPanel } from './channels-panel.tsx';

export function AlertsPage() {
  const { alerts } = useT();
  // Channels receive alerts of all bots.
  const isForAll = useMayAddBots();
  return (
    <Page title={alerts.title} lead={alerts.lead}>
      <div className="stack">
        <OpenAlerts />
        {isForAll ? <ChannelsPanel /> : null}
        <ResolvedAlerts />
      </div>
    </Page>
  );
}
