import { Button } from '@mantine/core';
import { ApiError } from '../api/error.ts';
import { useT } from '../i18n/use-t.tsx';
import { inWords } from '../i18n/phrase.ts';
import { errorDetail, errorWords } from './error-words.ts';
import { Icon } from './icon.tsx';
import css from './ui.module.css';

export function ErrorBox(props: { error: unknown; onRetry?: () => void }) {
  const t = useT();
  const { error } = props;
  const details = error instanceof ApiError ? error.details.filter((one) => one.field) : [];
  const detail = errorDetail(error, t);
  return (
    <div className={css.error} role="alert">
      <Icon name="warn" />
      <div className={css.errorBody}>
        <div>{errorWords(error, t)}</div>
        {details.length > 1 || detail === '' ? null : <div className={css.panelHint}>{detail}</div>}
        {details.length > 1 ? (
          <ul className={css.errorList}>
            {details.map((one) => (
              <li key={one.field}>
                <span className="mono">{one.field}</span> {inWords(one.problem ?? '', t.phrases)}
              </li>
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
