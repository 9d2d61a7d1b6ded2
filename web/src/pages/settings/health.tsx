import { useQuery } from '@tanstack/react-query';
import { readyQuery, serviceQuery, versionQuery } from '../../api/operation.ts';
import { LiveIndicator } from '../../app/shell/live-indicator.tsx';
import { useMay } from '../../app/shell/use-session.ts';
import { inWords } from '../../i18n/phrase.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useT } from '../../i18n/use-t.tsx';
import { Panel } from '../../ui/page.tsx';
import { SettingRow } from '../../ui/setting-row.tsx';
import { State } from '../../ui/state.tsx';
import { TimeAgo } from '../../ui/time-ago.tsx';
import { ServiceRows } from './service-rows.tsx';

/** Whether it works, for anyone; with what, for those who run it. */
export function Health() {
  const { settings } = useT();
  const isAdmin = useMay('admin');
  return (
    <Panel title={settings.health}>
      <Readiness />
      <SettingRow name={settings.live} hint={settings.liveHint} control={<LiveIndicator />} />
      {isAdmin ? <ServiceRows /> : null}
    </Panel>
  );
}

function Readiness() {
  const { phrases, settings } = useT();
  const format = useFormat();
  const version = useQuery(versionQuery).data?.version;
  const service = useQuery({ ...serviceQuery, enabled: useMay('admin') }).data;
  const ready = useQuery(readyQuery);
  const reasons = ready.data?.reasons.map((reason) => inWords(reason, phrases)) ?? [];
  const isWell = ready.isSuccess && reasons.length === 0;
  return (
    <SettingRow
      name={settings.service}
      hint={
        reasons.length > 0 ? (
          reasons.join('; ')
        ) : (
          <>
            {version === undefined ? '…' : settings.version(version)}
            {service ? (
              <>
                , {settings.started} <TimeAgo at={service.started_at} />,{' '}
                {settings.memory(format.bytes(service.memory_bytes))}
              </>
            ) : null}
          </>
        )
      }
      control={
        ready.isPending ? (
          <State tone="idle">…</State>
        ) : (
          <State tone={isWell ? 'ok' : 'bad'}>{isWell ? settings.ready : settings.notReady}</State>
        )
      }
    />
  );
}
