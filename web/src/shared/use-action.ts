import { useMutation } from '@tanstack/react-query';
import { useT } from '../i18n/use-t.tsx';
import { errorDetail, errorWords } from './error-words.ts';
import { toast } from '../ui/feedback/toast.tsx';

/** What to say once it worked; `undo` really takes it back. */
type Said = string | { words: string; undo: () => void } | undefined;

/** A change on the service: says when it worked, and what to do when it did not. */
export function useAction<Input, Output>(options: {
  run: (input: Input) => Promise<Output>;
  done?: (output: Output, input: Input) => Said | void;
  /** Forms show the failure beside the field instead. */
  quiet?: boolean;
}) {
  const t = useT();
  return useMutation<Output, Error, Input>({
    mutationFn: options.run,
    onSuccess: (output, input) => {
      const notice = options.done?.(output, input);
      if (typeof notice === 'string') toast(notice);
      else if (notice) toast(notice.words, { undo: notice.undo });
    },
    onError: (error) => {
      if (options.quiet) return;
      toast(errorWords(error, t), { tone: 'bad', detail: errorDetail(error, t) });
    },
  });
}
