import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { readyQuery, type Service, versionQuery } from '../../api/operation.ts';
import { LiveIndicator } from '../../shared/live-indicator.tsx';
import { reasonWords } from '../../i18n/reasons.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useT } from '../../i18n/use-t.tsx';
import { ErrorBox } from '../../shared/error-box.tsx';
import { Panel } from '../../ui/page.tsx';
import { SettingRow } from '../../ui/forms/setting-row.tsx';
import { State } from '../../ui/state.tsx';
import { TimeAgo } from '../../ui/text/time-ago.tsx';
import { ServiceRows } from './service-rows.tsx';
import css from './settings.module.css';

/** Shows whether the service works, for everyone, and details for the people who run it. */
export function Health(props: { service: UseQueryResult<Service>; asked: string | undefined }) {
  const { settings } = useT();
  const { data, error, refetch } = props.service;
  return (
    <Panel title={settings.health} isAsked={props.asked === 'health'}>
      <Readiness service={data} />
      <SettingRow
        name={settings.live}
        hint={settings.liveHint}
        control={
          <span className={css.live}>
            <LiveIndicator />
          </span>
        }
      />
      {data ? <ServiceRows service={data} asked={props.asked} /> : null}
      {error && !data ? <ErrorBox error={error} onRetry={() => void refetch()} /> : null}
    </Panel>
  );
}

function Readiness(props: { service: Service | undefined }) {
  const { service } = props;
  const t = useT();
  const { settings } = t;
  const format = useFormat();
  const known = useQuery({ ...versionQuery, enabled: service === undefined });
  const version = service?.version ?? known.data?.version;
  const ready = useQuery(readyQuery);
  const reasons =
    ready.data?.reasons.map((reason, at) =>
      reasonWords(reason, ready.data.reasons_detail?.[at], t.reasons),
    ) ?? [];
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
                {' · '}
                {settings.started} <TimeAgo at={service.started_at} />
                {' · '}
                {settings.memory(format.bytes(service.memory_bytes))}
              </>
            ) : null}
          </>
        )
      }
      control={
        <State tone={isWell ? 'ok' : 'bad'}>{isWell ? settings.ready : settings.notReady}</State>
      }
    />
  );
}
