import { describe, expect, it } from 'vitest';
import type { OpenApiDocument } from '../../src/http/openapi/openapi.ts';
import type { JsonSchema } from '../../src/http/schemas.ts';
import { check } from '../../src/http/request/validation.ts';
import { createMachine } from '../support/command.ts';
import { withoutNames } from '../support/openapi.ts';

interface Operation {
  requestBody?: {
    content: Record<string, { schema: JsonSchema; example?: Record<string, unknown> }>;
  };
}

async function openReference() {
  const machine = await createMachine();
  machine.env['RELAY_SANDBOX'] = 'on';
  const { address, localKey } = await machine.startService();
  async function post(path: string, body: unknown): Promise<{ status: number; code?: string }> {
    const answer = await fetch(`${address}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${localKey}` },
      body: JSON.stringify(body),
    });
    const { code } = (await answer.json()) as { code?: string };
    return { status: answer.status, ...(code === undefined ? {} : { code }) };
  }
  const answer = await fetch(`${address}/openapi.json`);
  const document = withoutNames((await answer.json()) as OpenApiDocument);
  const paths = document.paths as unknown as Record<string, Record<string, Operation>>;
  const bodies = new Map<string, { schema: JsonSchema; example: Record<string, unknown> }>();
  for (const [path, { post: operation }] of Object.entries(paths)) {
    const { schema, example } = operation?.requestBody?.content['application/json'] ?? {};
    if (schema && example) bodies.set(path, { schema, example });
  }
  return { machine, post, bodies };
}

/** The samples at /docs. */
describe('the examples of the reference', () => {
  it('are bodies that their endpoints take', async () => {
    const { bodies } = await openReference();
    expect(bodies.size).toBeGreaterThan(60);
    for (const [path, { schema, example }] of bodies) {
      expect(check(schema, example), path).toEqual([]);
    }
  });

  it('say one thing where several exclude each other', async () => {
    const { bodies, machine, post } = await openReference();
    await machine.json(['bots', 'add', '--long-poll', 'on', '--token-stdin'], `${machine.token}\n`);
    for (const path of [
      '/api/deliveries/replay',
      '/api/deliveries/discard',
      '/api/bots/readers/rewind',
    ]) {
      // Understood, though there may be nothing of that number here.
      expect([200, 404], path).toContain((await post(path, bodies.get(path)?.example)).status);
    }
  });
});
