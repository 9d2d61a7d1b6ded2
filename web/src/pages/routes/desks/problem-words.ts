import type { Desk } from '../../../api/desks.ts';
import { type ReasonTexts, reasonWords } from '../../../i18n/reasons.ts';

/** What keeps a desk from working, in the language of the reader. */
export const problemWords = (
  { problem, problem_detail: detail }: Pick<Desk, 'problem' | 'problem_detail'>,
  texts: Partial<ReasonTexts>,
) => reasonWords(problem, detail, texts);
