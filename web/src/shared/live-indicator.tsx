import { Tooltip } from '@mantine/core';
import { useSyncExternalStore } from 'react';
import { liveState, onLiveState } from '../api/client/live.ts';
import { useT } from '../i18n/use-t.tsx';
import css from './live-indicator.module.css';

export function LiveIndicator() {
  const { live } = useT();
  const state = useSyncExternalStore(onLiveState, liveState);
  const words = { on: live.on, connecting: live.connecting, off: live.off }[state];
  return (
    <Tooltip label={live.hint} multiline w={220}>
      <span className={css.live} data-state={state} role="status">
        <span className={css.dot} />
        {words}
      </span>
    </Tooltip>
  );
}
