import { useState } from 'react';

const storageKey = 'relay-phones';

/** Whose phones are shown; stored in this browser. */
export function useTable(): {
  phones: number[];
  take: (userId: number) => void;
  putAway: (userId: number) => void;
} {
  const [phones, setPhones] = useState(read);
  function change(next: number[]): void {
    setPhones(next);
    try {
      localStorage.setItem(storageKey, JSON.stringify(next));
    } catch {
      // Without storage, no phones are shown the next time.
    }
  }
  return {
    phones,
    take: (userId) => change([...phones.filter((id) => id !== userId), userId]),
    putAway: (userId) => change(phones.filter((id) => id !== userId)),
  };
}

function read(): number[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '[]');
    return Array.isArray(stored) ? stored.filter((id) => typeof id === 'number') : [];
  } catch {
    return [];
  }
}
