import type { Service } from '../../api/operation.ts';
import { reasonWords } from '../../i18n/reasons.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useT } from '../../i18n/use-t.tsx';
import { SettingRow } from '../../ui/forms/setting-row.tsx';
import { State, type Tone } from '../../ui/state.tsx';
import { TimeAgo, useNow } from '../../ui/text/time-ago.tsx';
import { type BackupCondition, backupCondition } from './backup-state.ts';
import css from './settings.module.css';

const tones: Record<BackupCondition, Tone> = {
  ok: 'ok',
  running: 'idle',
  none: 'idle',
  old: 'warn',
  failed: 'bad',
};

export function BackupRow(props: {
  backup: Service['backup'];
  engine: Service['database']['engine'];
  isAsked: boolean;
}) {
  const { backup, engine, isAsked } = props;
  const { common, reasons, settings } = useT();
  const format = useFormat();
  const now = useNow(60_000);
  if (!backup) {
    return (
      <SettingRow
        name={settings.backups}
        isAsked={isAsked}
        hint={engine === 'sqlite' ? settings.backupsOff : settings.backupsOfPostgres}
        control={<State tone="idle">{common.off}</State>}
      />
    );
  }
  const { count, directory, every_seconds, last_at, last_bytes, next_at } = backup;
  const condition = backupCondition(backup, now);
  return (
    <SettingRow
      name={settings.backups}
      isAsked={isAsked}
      hint={
        <>
          {settings.backupsHint(format.span(every_seconds * 1_000), directory, count)}{' '}
          {last_at === '' ? (
            <>
              {settings.backupNext} <TimeAgo at={next_at} ahead />
            </>
          ) : (
            <>
              {settings.backupLast(format.bytes(last_bytes))} <TimeAgo at={last_at} />
            </>
          )}
        </>
      }
      control={<State tone={tones[condition]}>{settings.backupStates[condition]}</State>}
    >
      {backup.error === '' ? null : (
        <p className={css.advice}>{reasonWords(backup.error, backup.error_detail, reasons)}</p>
      )}
    </SettingRow>
  );
}
