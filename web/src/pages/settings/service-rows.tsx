import type { Service } from '../../api/operation.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useT } from '../../i18n/use-t.tsx';
import { SettingRow } from '../../ui/forms/setting-row.tsx';
import { State } from '../../ui/state.tsx';
import { TimeAgo } from '../../ui/text/time-ago.tsx';
import { BackupRow } from './backup-row.tsx';
import css from './settings.module.css';

const scarceBytes = 1e9;

/** Details for the people who run the service. */
export function ServiceRows(props: { service: Service; asked: string | undefined }) {
  const { common, settings } = useT();
  const format = useFormat();
  const { database, disk, public_url, retention, sandbox } = props.service;
  const { asked } = props;
  return (
    <>
      <SettingRow
        name={settings.database}
        isAsked={asked === 'database'}
        hint={settings.databaseHint(
          settings.databaseKinds[database.engine],
          format.bytes(database.bytes),
        )}
        control={
          <State tone={database.answer_ms < 500 ? 'ok' : 'warn'}>
            {settings.answersIn(format.duration(database.answer_ms))}
          </State>
        }
      />
      {disk ? (
        <Disk free={disk.free_bytes} total={disk.total_bytes} isAsked={asked === 'disk'} />
      ) : null}
      <SettingRow
        name={settings.retention}
        isAsked={asked === 'retention'}
        hint={
          <>
            {settings.retentionHint(
              format.span(retention.max_age_seconds * 1_000),
              format.bytes(retention.max_bytes_per_bot),
            )}{' '}
            {settings.retentionRan} <TimeAgo at={retention.ran_at} />
          </>
        }
        control={
          <State tone={retention.unread_dropped === 0 ? 'ok' : 'warn'}>
            {retention.unread_dropped === 0
              ? settings.nothingLost
              : settings.retentionLost(retention.unread_dropped)}
          </State>
        }
      />
      <BackupRow
        backup={props.service.backup}
        engine={database.engine}
        isAsked={asked === 'backups'}
      />
      <SettingRow
        name={settings.sandbox}
        hint={sandbox ? settings.sandboxOn : settings.sandboxOff}
        control={<State tone={sandbox ? 'ok' : 'idle'}>{sandbox ? common.on : common.off}</State>}
      />
      <SettingRow
        name={settings.webhooks}
        hint={public_url === '' ? settings.webhooksOff : settings.webhooksOn(public_url)}
        control={
          <State tone={public_url === '' ? 'idle' : 'ok'}>
            {public_url === '' ? common.off : common.on}
          </State>
        }
      />
    </>
  );
}

/** The shares at which the bar becomes amber, then red. */
const fillingShare = 0.7;
const lowShare = 0.9;

function Disk(props: { free: number; total: number; isAsked: boolean }) {
  const { free, total } = props;
  const { settings } = useT();
  const format = useFormat();
  const used = total === 0 ? 0 : 1 - free / total;
  const isLow = used >= lowShare || free < scarceBytes;
  const tone = isLow ? 'bad' : used >= fillingShare ? 'warn' : undefined;
  return (
    <SettingRow
      name={settings.disk}
      isAsked={props.isAsked}
      hint={settings.diskHint(format.bytes(free), format.bytes(total))}
      control={
        <State tone={isLow ? 'bad' : 'ok'}>{isLow ? settings.diskLow : settings.diskFine}</State>
      }
    >
      <div className={css.meter} data-tone={tone} aria-hidden="true">
        <i style={{ width: `${used * 100}%` }} />
      </div>
      {isLow ? <p className={css.advice}>{settings.diskAdvice}</p> : null}
    </SettingRow>
  );
}
