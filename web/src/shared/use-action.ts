import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { useT } from '../i18n/use-t.tsx';
import { errorDetail, errorWords } from './error-words.ts';
import { toast } from '../ui/feedback/toast.tsx';

/** The message after a success; `undo` reverts the change. */
type Said = string | { words: string; undo: () => void } | undefined;

/** Runs a change on the service and reports success, or the error and what to do. */
export function useAction<Input, Output>(options: {
  run: (input: Input) => Promise<Output>;
  /** The queries that the change makes outdated. */
  refreshes?: readonly QueryKey[];
  done?: (output: Output, input: Input) => Said | void;
  /** Set in forms, which show the error beside the field instead. */
  quiet?: boolean;
}) {
  const t = useT();
  const client = useQueryClient();
  return useMutation<Output, Error, Input>({
    mutationFn: options.run,
    onSuccess: (output, input) => {
      const notice = options.done?.(output, input);
      if (typeof notice === 'string') toast(notice);
      else if (notice) toast(notice.words, { undo: notice.undo });
      for (const queryKey of options.refreshes ?? []) void client.invalidateQueries({ queryKey });
    },
    onError: (error) => {
      if (options.quiet) return;
      toast(errorWords(error, t), { tone: 'bad', detail: errorDetail(error, t) });
    },
  });
}
