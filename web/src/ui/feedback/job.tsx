import { Button, Progress } from '@mantine/core';
import { useSyncExternalStore } from 'react';
import { useT } from '../../i18n/use-t.tsx';
import css from './toast.module.css';

interface Job {
  id: number;
  title: string;
  /** From 0 to 1; undefined if the total is unknown. */
  share: number | undefined;
  /** The progress in words. */
  note: string;
  cancel: () => void;
}

interface JobProgress {
  share?: number;
  note: string;
}

let jobs: Job[] = [];
let nextId = 1;
const listeners = new Set<() => void>();

function publish(next: Job[]): void {
  jobs = next;
  for (const listener of listeners) listener();
}

/**
 * A long task: shown in the corner of every page until it ends or is
 * cancelled. Rejects with an AbortError when cancelled.
 */
export async function runJob<T>(
  title: string,
  work: (signal: AbortSignal, report: (progress: JobProgress) => void) => Promise<T>,
): Promise<T> {
  const id = nextId++;
  const stop = new AbortController();
  const made = { id, title, share: undefined, note: '', cancel: () => stop.abort() };
  publish([...jobs, made]);
  try {
    return await work(stop.signal, ({ note, share }) =>
      publish(jobs.map((job) => (job.id === id ? { ...job, note, share } : job))),
    );
  } finally {
    publish(jobs.filter((job) => job.id !== id));
  }
}

export function JobLines() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => jobs,
  );
  return shown.map((job) => <JobLine key={job.id} job={job} />);
}

function JobLine(props: { job: Job }) {
  const { cancel, note, share, title } = props.job;
  const { common } = useT();
  return (
    // The numbers change too often for a screen reader.
    <div className={css.toast} aria-live="off">
      <div className={css.toastText}>
        <div className={css.jobLine}>
          <span>{title}</span>
          <span className={css.jobNote}>{note}</span>
        </div>
        <Progress
          mt={6}
          size="sm"
          value={share === undefined ? 100 : share * 100}
          animated={share === undefined}
          aria-label={title}
        />
      </div>
      <Button size="compact-sm" variant="default" onClick={cancel}>
        {common.cancel}
      </Button>
    </div>
  );
}
