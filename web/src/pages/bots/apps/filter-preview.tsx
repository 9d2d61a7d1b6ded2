import { useQuery } from '@tanstack/react-query';
import { type AppFilter, previewQuery } from '../../../api/apps.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { errorWords } from '../../../shared/error-words.ts';
import { hasConditions } from './app-draft.ts';
import css from './apps.module.css';

/** Requests a preview only if there is something to test. */
export function useFilterPreview(botId: number, filter: AppFilter) {
  return useQuery({
    ...previewQuery(botId, filter),
    enabled: hasConditions(filter),
    // The count stays until the next one arrives; a wrong field has none.
    placeholderData: (before) => before,
  });
}

/** Shows how many of the last updates the app would have received. */
export function FilterPreview(props: {
  filter: AppFilter;
  preview: ReturnType<typeof useFilterPreview>;
  /** True if the error is shown at a field. */
  isWrong: boolean;
}) {
  const { filter, isWrong, preview } = props;
  const t = useT();
  const words = () => {
    if (!hasConditions(filter)) return t.apps.previewEmpty;
    if (preview.isError) return isWrong ? '' : errorWords(preview.error, t);
    if (!preview.data) return '…';
    const { matched, of } = preview.data;
    return of === 0 ? t.apps.previewNothing : t.apps.preview(matched, of);
  };
  const isNone = !preview.isError && preview.data?.matched === 0 && preview.data.of > 0;
  return (
    <p className={css.preview} aria-live="polite" data-none={isNone || undefined}>
      {words()}
    </p>
  );
}
