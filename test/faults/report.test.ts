import { describe, expect, it } from 'vitest';
import { type DatedResult, merge, type Report, showReport } from './report.ts';

const machine = { cpu: 'Some CPU', cores: 2, memoryGb: 8, node: 'v24.0.0' };
const result = (id: string, commit: string, more: Partial<DatedResult> = {}): DatedResult => ({
  id,
  fault: `${id}: something`,
  commit,
  engine: 'sqlite',
  at: '2026-11-16T10:00:00.000Z',
  seed: 7,
  seconds: 12,
  readers: {},
  marks: [],
  ...more,
});
const report = (...results: DatedResult[]): Report => ({ machine, results, notRun: [] });

describe('the report of the faults', () => {
  it('keeps the results of faults that were not run this time', () => {
    const merged = merge(
      report(result('1', 'old'), result('2', 'old')),
      report(result('1', 'new')),
    );
    expect(merged.results.map(({ id, commit }) => [id, commit])).toEqual([
      ['1', 'new'],
      ['2', 'old'],
    ]);
  });

  it('takes a result in place of one for another time, and of what was not run', () => {
    const earlier = {
      ...report(result('6', 'old', { fault: '6: for 1 min' })),
      notRun: [{ fault: '3-pgbouncer on sqlite', why: 'there is none' }],
    };
    const later = report(
      result('6', 'new', { fault: '6: for 60 min' }),
      result('3-pgbouncer', 'new'),
    );
    const merged = merge(earlier, later);
    expect(merged.results.map(({ id, commit }) => [id, commit])).toEqual([
      ['3-pgbouncer', 'new'],
      ['6', 'new'],
    ]);
    expect(merged.notRun).toEqual([]);
  });

  it('shows missed checks with what to look at, and what was not run', () => {
    const marks = [{ name: 'lost', value: '1', limit: '≤ 0', ok: false, details: ['update 5'] }];
    const why = 'mounting a disk is not allowed here';
    const text = showReport({
      ...report(result('1', 'abc', { marks, stolen: 0.25 })),
      notRun: [{ fault: '3-disk-full on sqlite', why }],
    });
    expect(text).toContain('| lost | 1 | ≤ 0 | MISSED |');
    expect(text).toContain('lost: update 5');
    expect(text).toContain(`Not run: 3-disk-full on sqlite (${why}).`);
    expect(text).toContain(
      '2026-11-16 10:00 UTC, commit abc, seed 7, 12 s, 25 % of processor time stolen.',
    );
  });

  it('begins with a row for each fault, and judges nothing that is only counted', () => {
    const arrived = { offered: 9, delivered: 9, duplicated: 2, lost: 0, reordered: 0 };
    const tally = { ...arrived, unexpected: 0, slowestOfferedAt: 0 };
    const readers = { push: { ...tally, maxDelayMs: 1_500 }, pull: { ...tally, maxDelayMs: 100 } };
    const counted = { name: 'kills', value: '110', limit: 'counted', ok: true };
    const missed = { name: 'exit', value: '1', limit: '0', ok: false };
    const text = showReport({
      ...report(
        result('3-stall', 'abc', { engine: 'postgres', fault: '3: stalled', marks: [missed] }),
        result('1', 'abc', { fault: '1: SIGKILL', readers, marks: [counted] }),
      ),
      notRun: [{ fault: '1 on postgres', why: 'there is none' }],
    });
    expect(text).toContain(
      [
        '| Fault | SQLite | PostgreSQL |',
        '| --- | --- | --- |',
        '| `1` | met, 0 lost, 4 duplicated | not run |',
        '| `3-stall` | – | MISSED |',
      ].join('\n'),
    );
    expect(text).toContain('| 1: SIGKILL | sqlite | push | 9 | 9 | 2 | 0 | 0 | 1.5 s |');
    expect(text).toContain('### 3-stall: stalled, postgres');
    expect(text).toContain('| Check | Value | Mark | Result |');
    expect(text).toContain('| kills | 110 | counted |  |');
  });
});
