import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { backendsQuery } from '../../api/deliveries.ts';
import { openAlertsQuery, type OpenAlert } from '../../api/alerts.ts';
import type { Bot } from '../../api/client/types.ts';
import { useT } from '../../i18n/use-t.tsx';
import { EmptyState } from '../../ui/lists/empty-state.tsx';
import { alertKey } from '../../shared/alerts/alert-words.ts';
import { Loaded } from '../../shared/loaded.tsx';
import { Panel } from '../../ui/page.tsx';
import { RowsSkeleton } from '../../ui/page-skeleton.tsx';
import { useLostSince } from '../../shared/use-lost-since.ts';
import { AlertRow } from './alert-row.tsx';
import { ChannelOffer, useChannelOffer } from './channel-offer.tsx';
import css from './overview.module.css';
import { useDismissedAlerts } from './dismissed-alerts.ts';
import { useNow } from '../../ui/text/time-ago.tsx';
import { wellWords } from './well-words.ts';

const shownAtFirst = 6;

/** The open alerts, the most severe first, each with its action. */
export function Alerts(props: { bots: Bot[] }) {
  const { overview } = useT();
  const query = useQuery(openAlertsQuery);
  const offer = useChannelOffer();
  const skeleton = <RowsSkeleton rows={4} height={52} />;
  return (
    <Panel flush title={overview.attention}>
      {/* Both appear at once, because a later one would move the charts below. */}
      {offer.isPending ? (
        skeleton
      ) : (
        <Loaded query={query} skeleton={skeleton}>
          {(alerts) => <AlertList alerts={alerts} bots={props.bots} />}
        </Loaded>
      )}
      {offer.isOpen && query.data ? <ChannelOffer onDismiss={offer.dismiss} /> : null}
    </Panel>
  );
}

function AlertList(props: { alerts: OpenAlert[]; bots: Bot[] }) {
  const { overview } = useT();
  const { forget, isDismissed, note } = useDismissedAlerts(props.alerts);
  const isLost = useLostSince() !== undefined;
  const now = useNow(10_000);
  const { data: backends = [] } = useQuery(backendsQuery());
  const [all, setAll] = useState(false);
  const open = props.alerts.filter((alert) => !isDismissed(alert));
  const hidden = props.alerts.length - open.length;
  const shown = all ? open : open.slice(0, shownAtFirst);
  return (
    <>
      {open.length === 0 && isLost ? (
        <EmptyState icon="warn" title={overview.notKnown} hint={overview.notKnownHint} />
      ) : open.length === 0 ? (
        <EmptyState
          icon="check"
          title={overview.allWell}
          hint={wellWords(props.bots, backends, overview, now)}
        />
      ) : (
        <ul data-rows className={css.todo}>
          {shown.map((alert) => (
            <AlertRow key={alertKey(alert)} alert={alert} onDismiss={() => note(alert)} />
          ))}
        </ul>
      )}
      {open.length > shownAtFirst || hidden > 0 ? (
        <div className={css.todoFoot}>
          {open.length > shownAtFirst ? (
            <Button size="compact-sm" variant="subtle" onClick={() => setAll(!all)}>
              {all ? overview.showFewer : overview.showAll(open.length)}
            </Button>
          ) : null}
          {hidden > 0 ? (
            <Button size="compact-sm" variant="subtle" color="gray" onClick={forget}>
              {overview.showDismissed(hidden)}
            </Button>
          ) : null}
        </div>
      ) : null}
    </>
  );
}
