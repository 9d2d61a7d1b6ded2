import { download } from '../api/client/download.ts';
import { isStopped } from '../api/client/error.ts';
import { useFormat } from '../i18n/use-format.ts';
import { useT } from '../i18n/use-t.tsx';
import { errorDetail, errorWords } from './error-words.ts';
import { runJob } from '../ui/feedback/job.tsx';
import { toast } from '../ui/feedback/toast.tsx';

interface Wanted {
  address: string;
  name: string;
  /** The expected number of lines, if known. */
  lines?: number | undefined;
}

/** Downloads a large file, with progress and a cancel button in the corner. */
export function useExport(): (wanted: Wanted) => void {
  const t = useT();
  const format = useFormat();
  async function run({ address, lines, name }: Wanted): Promise<void> {
    const { bytes } = await runJob(t.common.exporting(name), (signal, report) =>
      download(address, {
        name,
        signal,
        onProgress: (received) => {
          if (!lines) report({ note: format.bytes(received.bytes) });
          else {
            // A text of several lines counts more than once, so the end is never reported too early.
            const share = Math.min(received.lines / lines, 0.99);
            report({ share, note: format.percent(share) });
          }
        },
      }),
    );
    toast(t.common.exported(name, format.bytes(bytes)));
  }
  return (wanted) => {
    run(wanted).catch((error: unknown) => {
      if (isStopped(error)) toast(t.common.exportStopped(wanted.name));
      else toast(errorWords(error, t), { tone: 'bad', detail: errorDetail(error, t) });
    });
  };
}
