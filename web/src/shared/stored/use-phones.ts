import { useState } from 'react';

const storageKey = 'relay-phones';

/** The people whose phones are shown; stored in this browser. */
export function usePhones(): {
  phones: number[];
  take: (userId: number) => void;
  putAway: (userId: number) => void;
} {
  const [phones, setPhones] = useState(read);
  function change(next: number[]): void {
    setPhones(next);
    write(next);
  }
  return {
    phones,
    take: (userId) => change([...phones.filter((id) => id !== userId), userId]),
    putAway: (userId) => change(phones.filter((id) => id !== userId)),
  };
}

/** Shows somebody's phone the next time. */
export function takePhone(userId: number): void {
  write([...read().filter((id) => id !== userId), userId]);
}

function write(phones: number[]): void {
  try {
    localStorage.setItem(storageKey, JSON.stringify(phones));
  } catch {
    // Without storage, no phones are shown the next time.
  }
}

function read(): number[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '[]');
    return Array.isArray(stored) ? stored.filter((id) => typeof id === 'number') : [];
  } catch {
    return [];
  }
}
