import { type ComponentType, createElement, lazy, type ReactNode, Suspense, useState } from 'react';

/** Makes a component whose code is loaded when it is first shown. */
export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  skeleton?: ReactNode,
): ComponentType<Props> {
  const Part = lazy(async () => ({ default: await load() })) as ComponentType<Props>;
  const fallback = skeleton ? <div aria-busy="true">{skeleton}</div> : null;
  return (props) => <Suspense fallback={fallback}>{createElement(Part, props)}</Suspense>;
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
