import { CatchBoundary } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useT } from '../../i18n/use-t.tsx';
import css from '../chart.module.css';
import { Icon } from '../icon.tsx';

/** A chart that fails to load or draw does not break the page. */
export function ChartBoundary(props: { children: ReactNode }) {
  return (
    <CatchBoundary getResetKey={() => ''} errorComponent={BrokenChart}>
      {props.children}
    </CatchBoundary>
  );
}

function BrokenChart() {
  const { common } = useT();
  return (
    <p className={css.broken} role="alert">
      <Icon name="warn" />
      {common.brokenChart}
    </p>
  );
}
