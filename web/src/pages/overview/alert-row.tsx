import { CloseButton, Tooltip } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { alertKinds, kindOf, type OpenAlert } from '../../api/alerts.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useT } from '../../i18n/use-t.tsx';
import { AlertDo } from '../../shared/alerts/alert-do.tsx';
import { alertLink } from '../../shared/alerts/alert-link.ts';
import { handlingWords } from '../../shared/alerts/alert-handling.tsx';
import { alertName, alertTones, alertWords } from '../../shared/alerts/alert-words.ts';
import { Icon } from '../../ui/icon.tsx';
import { TimeAgo, useNow } from '../../ui/text/time-ago.tsx';
import css from './overview.module.css';

export function AlertRow(props: { alert: OpenAlert; onDismiss: () => void }) {
  const { alert } = props;
  const t = useT();
  const format = useFormat();
  const now = useNow();
  const name = alertName(alert, t);
  const handling = handlingWords(alert, t, format).join(' · ');
  return (
    <li data-kind={alert.kind}>
      <span className={css.todoMark} data-tone={alertTones[alert.severity]}>
        <Icon name={alertKinds[alert.kind].icon} size={17} />
      </span>
      <div className={css.todoText}>
        <Link {...alertLink(alert)} className={css.todoName}>
          {name}
        </Link>
        <div className={css.todoWhy}>
          {alertWords(alert, t, format, now)}
          {alert.since === '' ? null : (
            <div className={css.todoSince}>
              {t.overview.began} <TimeAgo at={alert.since} />
            </div>
          )}
          {handling === '' ? null : <div className={css.todoSince}>{handling}</div>}
        </div>
      </div>
      <div className={css.todoDo}>
        <AlertDo alert={alert} />
        {kindOf(alert.kind).canBeDismissed ? (
          <Tooltip label={t.overview.dismiss}>
            <CloseButton
              size="sm"
              aria-label={t.common.labelled(t.overview.dismiss, name)}
              onClick={props.onDismiss}
            />
          </Tooltip>
        ) : null}
      </div>
    </li>
  );
}
