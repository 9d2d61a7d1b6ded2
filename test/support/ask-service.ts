import { expect } from 'vitest';
import type { Service } from '../../src/main.ts';

/** Calls the API of a service with the key of its data directory; with a body by POST. It must work. */
export async function askService<T>(
  { address, localKey }: Service,
  path: string,
  body?: object,
): Promise<T> {
  const answer = await fetch(address + path, {
    headers: { authorization: `Bearer ${localKey}`, 'content-type': 'application/json' },
    ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
  });
  const text = await answer.text();
  expect(answer.status, text).toBe(200);
  return JSON.parse(text) as T;
}
