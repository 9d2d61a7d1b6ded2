import { useMutation } from '@tanstack/react-query';
import { useT } from '../i18n/use-t.tsx';
import { errorWords } from './error-words.ts';
import { toast } from './toast.tsx';

/** A change on the service: says when it worked, and what to do when it did not. */
export function useAction<Input, Output>(options: {
  run: (input: Input) => Promise<Output>;
  done?: (output: Output, input: Input) => string | undefined | void;
  /** Forms show the failure beside the field instead. */
  quiet?: boolean;
}) {
  const t = useT();
  return useMutation<Output, Error, Input>({
    mutationFn: options.run,
    onSuccess: (output, input) => {
      const words = options.done?.(output, input);
      if (words) toast(words);
    },
    onError: (error) => {
      if (!options.quiet) toast(errorWords(error, t), { tone: 'bad' });
    },
  });
}
