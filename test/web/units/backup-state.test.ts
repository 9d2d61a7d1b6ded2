import { expect, it } from 'vitest';
import { backupCondition } from '../../../web/src/pages/settings/backup-state.ts';

it('shows a backup as it is: verified, overdue, failed or not there yet', () => {
  const backup = {
    directory: '/var/backups',
    every_seconds: 3_600,
    keep: 7,
    count: 1,
    running: false,
    last_at: '2026-01-31T12:00:00.000Z',
    last_file: 'bot-relay-20260131T120000Z.db',
    last_bytes: 1_000,
    next_at: '2026-01-31T13:00:00.000Z',
    error: '',
    error_detail: null,
    error_at: '',
  };
  const at = (hours: number) => Date.UTC(2026, 0, 31, 12 + hours);
  expect(backupCondition(backup, at(1))).toBe('ok');
  expect(backupCondition(backup, at(3))).toBe('old');
  expect(backupCondition({ ...backup, error: 'The disk is full.' }, at(1))).toBe('failed');
  const none = { ...backup, count: 0, last_at: '', last_file: '', last_bytes: 0 };
  expect(backupCondition(none, at(1))).toBe('none');
  expect(backupCondition({ ...none, running: true }, at(1))).toBe('running');
});
