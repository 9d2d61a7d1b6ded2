import { Button } from '@mantine/core';
import { ApiError } from '../api/client/error.ts';
import { useT } from '../i18n/use-t.tsx';
import { errorDetail, errorWords, wrongFields, wrongFieldWords } from './error-words.ts';
import { Icon } from '../ui/icon.tsx';
import css from '../ui/ui.module.css';

export function ErrorBox(props: {
  error: unknown;
  /** The consequence for the task at hand. */
  hint?: string | undefined;
  onRetry?: () => void;
}) {
  const t = useT();
  const { error } = props;
  const wrong = wrongFields(error);
  const detail = errorDetail(error, t);
  return (
    <div className={css.error} role="alert">
      <Icon name="warn" />
      <div className={css.errorBody}>
        <div>{errorWords(error, t)}</div>
        {props.hint ? <div className={css.panelHint}>{props.hint}</div> : null}
        {detail === '' ? null : <div className={css.panelHint}>{detail}</div>}
        {wrong.length > 1 ? (
          <ul className={css.errorList}>
            {wrong.map((one) => (
              <li key={one.field}>{wrongFieldWords(one, t)}</li>
            ))}
          </ul>
        ) : null}
        {error instanceof ApiError && error.status >= 500 && error.requestId !== '' ? (
          <div className={css.panelHint}>{t.common.requestId(error.requestId)}</div>
        ) : null}
      </div>
      {props.onRetry ? (
        <Button size="compact-sm" variant="default" onClick={props.onRetry}>
          {t.common.retry}
        </Button>
      ) : null}
    </div>
  );
}
