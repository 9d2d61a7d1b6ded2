import { Button } from '@mantine/core';
import { type ErrorComponentProps, Outlet, useRouter } from '@tanstack/react-router';
import { ApiError } from '../api/client/error.ts';
import { useT } from '../i18n/use-t.tsx';
import { EmptyState } from '../ui/lists/empty-state.tsx';
import { ErrorBox } from '../shared/error-box.tsx';
import { Toasts } from '../ui/feedback/toast.tsx';
import { LinkButton } from '../ui/link-button.tsx';

export function Root() {
  return (
    <>
      <Outlet />
      <Toasts />
    </>
  );
}

export function NotFoundPage() {
  const { common } = useT();
  return (
    <EmptyState icon="search" title={common.notFound} hint={common.notFoundHint}>
      <LinkButton to="/">{common.goHome}</LinkButton>
    </EmptyState>
  );
}

/** A page that failed to load or draw; the frame stays. */
export function BrokenPage(props: ErrorComponentProps) {
  const { common } = useT();
  const router = useRouter();
  if (props.error instanceof ApiError) {
    return (
      <div style={{ padding: 24, maxWidth: 640, margin: '10vh auto' }}>
        <ErrorBox error={props.error} onRetry={() => void router.invalidate()} />
      </div>
    );
  }
  const [title, hint] = isNotLoaded(props.error)
    ? [common.notLoaded, common.notLoadedHint]
    : [common.brokenPage, common.brokenPageHint];
  return (
    <EmptyState icon="warn" title={title} hint={hint}>
      <Button onClick={() => window.location.reload()}>{common.retry}</Button>
    </EmptyState>
  );
}

/** Code that failed to load: each browser has its own message. */
function isNotLoaded(error: unknown): boolean {
  return /dynamically imported module|importing a module|preload css/i.test(String(error));
}
