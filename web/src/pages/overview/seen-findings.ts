import { useState } from 'react';
import type { Finding } from '../../api/operation.ts';

const storageKey = 'relay-seen-findings';

type Seen = Record<string, number>;

/** What this person has taken note of; it comes back when there is more of it. */
export function useSeenFindings() {
  const [seen, setSeen] = useState<Seen>(read);
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

function keyOf({ bot_id, kind, reader, route_id }: Finding): string {
  return [kind, bot_id, reader ?? route_id ?? ''].join(':');
}

function read(): Seen {
  try {
    return JSON.parse(localStorage.getItem(storageKey) ?? '{}') as Seen;
  } catch {
    return {};
  }
}
