import { useEffect, useState } from 'react';
import type { Finding } from '../../api/operation.ts';

const storageKey = 'relay-seen-findings';

type Seen = Record<string, number>;

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

/** What is over is forgotten, and what has become less counts from there. */
export function stillSeen(seen: Seen, findings: Finding[]): Seen {
  const present = new Map(findings.map((finding) => [keyOf(finding), finding.count]));
  return Object.fromEntries(
    Object.entries(seen).flatMap(([key, count]) => {
      const now = present.get(key);
      return now === undefined ? [] : [[key, Math.min(count, now)]];
    }),
  );
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
