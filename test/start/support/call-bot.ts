import { expect } from 'vitest';

/** Calls a method of the Bot API; it has to succeed. */
export async function callBot<T>(
  { root, token }: { root: string; token: string },
  method: string,
  params: object = {},
): Promise<T> {
  const answer = await fetch(`${root}/bot${token}/${method}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(params),
  });
  const { ok, result, description } = (await answer.json()) as Record<string, unknown>;
  expect(ok, `${method}: ${String(description)}`).toBe(true);
  return result as T;
}
