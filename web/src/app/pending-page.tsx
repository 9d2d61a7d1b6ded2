import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { isOffline, unanswered, unreachable } from '../api/client/error.ts';
import { sessionQuery } from '../api/session.ts';
import { NotLoaded } from '../shared/loaded.tsx';
import { ErrorBox } from '../shared/error-box.tsx';
import { PageSkeleton } from '../ui/page-skeleton.tsx';

const lateMs = 5_000;

/** The page before the first response, when there is no frame with a banner. */
export function PendingPage() {
  const { data, failureReason } = useQuery({ ...sessionQuery, enabled: false });
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = window.setTimeout(() => setLate(true), lateMs);
    return () => window.clearTimeout(timer);
  }, []);
  const isUnreached = isOffline(failureReason);
  return (
    <>
      {data === undefined && (isUnreached || isLate) ? (
        <div style={{ padding: 24, maxWidth: 640, margin: '0 auto' }}>
          <ErrorBox
            error={isUnreached ? unreachable() : unanswered()}
            onRetry={() => window.location.reload()}
          />
        </div>
      ) : null}
      {data === undefined ? <PageSkeleton /> : <NotLoaded skeleton={<PageSkeleton />} />}
    </>
  );
}
