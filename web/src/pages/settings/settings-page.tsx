import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { readyQuery, serviceQuery } from '../../api/operation.ts';
import { useMay, useSession } from '../../shared/use-session.ts';
import { useT } from '../../i18n/use-t.tsx';
import { Page, Panel } from '../../ui/page.tsx';
import { SettingRow } from '../../ui/forms/setting-row.tsx';
import { Commands } from '../../ui/text/commands.tsx';
import { Health } from './health.tsx';
import { Look } from './look.tsx';
import { Nodes } from './nodes.tsx';
import { OwnPassword } from './own-password.tsx';

export function SettingsPage() {
  const { common, overview, settings } = useT();
  const isAdmin = useMay('service', 'admin');
  const isPerson = useSession().kind === 'user';
  const service = useQuery({ ...serviceQuery, enabled: isAdmin });
  const ready = useQuery(readyQuery);
  const { part } = useSearch({ from: '/frame/settings' });
  return (
    <Page title={settings.title} lead={settings.lead}>
      {ready.isPending || (isAdmin && service.isPending) ? (
        // Everything is drawn at once, so that nothing moves later.
        <div aria-busy="true">
          <Skeleton height={640} radius={14} />
        </div>
      ) : (
        <div className="stack">
          <Health service={service} asked={part} />
          {service.data ? <Nodes nodes={service.data.nodes} isAsked={part === 'nodes'} /> : null}
          <Look />
          {isPerson ? <OwnPassword /> : null}
          <Panel title={settings.change} hint={<Commands text={settings.changeHint} />}>
            <SettingRow
              name={settings.api}
              hint={settings.apiHint}
              control={
                <a href="/docs/api" aria-label={common.labelled(overview.open, settings.api)}>
                  {overview.open}
                </a>
              }
            />
          </Panel>
        </div>
      )}
    </Page>
  );
}
