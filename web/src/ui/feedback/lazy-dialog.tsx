import { Button } from '@mantine/core';
import {
  type ComponentType,
  createElement,
  lazy,
  type ReactNode,
  Suspense,
  useEffect,
  useState,
} from 'react';
import { useT } from '../../i18n/use-t.tsx';
import { EmptyState } from '../lists/empty-state.tsx';
import { toast } from './toast.tsx';

const reload = () => window.location.reload();

/**
 * Makes a component whose code is loaded when it is first shown. If the code cannot be loaded, as after
 * an upgrade of the service, the rest of the page stays. Browsers do not load it again before the page
 * is loaded again.
 */
export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  skeleton?: ReactNode,
): ComponentType<Props> {
  const missing = (skeleton ? MissingPart : MissingDialog) as ComponentType<Props>;
  const Part = lazy(async () => ({
    default: await load().catch(() => missing),
  })) as ComponentType<Props>;
  const fallback = skeleton ? <div aria-busy="true">{skeleton}</div> : null;
  return (props) => <Suspense fallback={fallback}>{createElement(Part, props)}</Suspense>;
}

function MissingPart() {
  const { common } = useT();
  return (
    <EmptyState icon="warn" title={common.notLoaded} hint={common.notLoadedHint}>
      <Button onClick={reload}>{common.retry}</Button>
    </EmptyState>
  );
}

/** A part without a skeleton, such as a dialog, is closed. */
function MissingDialog({ onClose, opened = true }: { onClose?: () => void; opened?: boolean }) {
  const { common } = useT();
  useEffect(() => {
    if (!opened) return;
    toast(common.notLoaded, {
      tone: 'bad',
      detail: common.notLoadedHint,
      action: { name: common.retry, run: reload },
    });
    onClose?.();
  }, [opened]);
  return null;
}

/** The same for a dialog, which stays after it was opened, so that it can close slowly. */
export function lazyDialog<Props extends { opened: boolean }>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  const Dialog = lazyPart(load);
  return function LazyDialog(props: Props) {
    const [wasOpened, setWasOpened] = useState(props.opened);
    if (props.opened && !wasOpened) setWasOpened(true);
    return wasOpened ? createElement(Dialog, props) : null;
  };
}
