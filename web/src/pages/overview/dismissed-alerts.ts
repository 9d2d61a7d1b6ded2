import { useEffect, useState } from 'react';
import type { Finding } from '../../api/operation.ts';
import { keyOf, type Seen, stillSeen } from './still-seen.ts';

const storageKey = 'relay-seen-findings';

/** What this person has taken note of; it comes back when there is more of it, or once more. */
export function useSeenFindings(findings: Finding[]) {
  const [seen, setSeen] = useState<Seen>(read);
  useEffect(() => {
    const next = stillSeen(seen, findings);
    if (JSON.stringify(next) !== JSON.stringify(seen)) keep(next);
  }, [findings]);
  function keep(next: Seen): void {
    setSeen(next);
    try {
      localStorage.setItem(storageKey, JSON.stringify(next));
    } catch {
      // Storage may be forbidden; then it lasts until the page is closed.
    }
  }
  return {
    isSeen: (finding: Finding) => (seen[keyOf(finding)] ?? -1) >= finding.count,
    note: (finding: Finding) => keep({ ...seen, [keyOf(finding)]: finding.count }),
    forget: () => keep({}),
  };
}

function read(): Seen {
  try {
    return JSON.parse(localStorage.getItem(storageKey) ?? '{}') as Seen;
  } catch {
    return {};
  }
}
