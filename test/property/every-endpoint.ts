import { DatabaseSync } from 'node:sqlite';
import path from 'node:path';
import fc from 'fast-check';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readSettings, toConfig } from '../../src/config.ts';
import type { OpenApiDocument, OpenApiOperation } from '../../src/http/openapi/openapi.ts';
import type { JsonSchema } from '../../src/http/schemas.ts';
import { check } from '../../src/http/request/validation.ts';
import { createLogger } from '../../src/logger.ts';
import { type Service, startService } from '../../src/main.ts';
import { createDatabase, type Database } from '../support/database/engines.ts';
import { withoutNames } from '../support/openapi.ts';
import { cheapPasswords } from '../support/test-app.ts';
import { type HostileRequest, operationsOf, requestsTo } from './hostile-requests.ts';

const seed = 20_260_131;

/** What is answered is what is documented, field by field. */
function expectToFit(response: unknown, type: unknown, text: string, context: string): void {
  const { content } = response as { content: Record<string, { schema: JsonSchema }> };
  const schema = content['application/json']?.schema;
  if (!schema || !String(type).startsWith('application/json')) return;
  expect(check(closed(schema), JSON.parse(text)), context).toEqual([]);
}

/** The schema with every undocumented field refused. */
function closed(schema: JsonSchema): JsonSchema {
  const { properties, items, anyOf } = schema;
  return {
    ...schema,
    ...(properties
      ? {
          additionalProperties: schema.additionalProperties ?? false,
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, part]) => [name, closed(part)]),
          ),
        }
      : {}),
    ...(items ? { items: closed(items) } : {}),
    ...(anyOf ? { anyOf: anyOf.map(closed) } : {}),
  };
}

/** Adds tests that send so many bad requests to each endpoint and, if wanted, bodies that are far too large. */
export function askEveryEndpointBadly(
  requestsEach: number,
  { largeBodies }: { largeBodies: boolean },
): void {
  let database: Database;
  let service: Service;
  let document: OpenApiDocument;
  let reader: DatabaseSync;
  const agent = new Agent({ connections: 4, bodyTimeout: 10_000, headersTimeout: 10_000 });

  beforeAll(async () => {
    database = await createDatabase('sqlite');
    const env = {
      ...database.settings,
      PORT: '0',
      // Nothing listens there: requests to the platform fail.
      TELEGRAM_API_URL: 'http://127.0.0.1:9',
      RELAY_RATE_PER_KEY: '1000000',
      RELAY_RATE_PER_ADDRESS: '1000000',
      RELAY_SANDBOX: 'off',
    };
    const config = { ...toConfig(readSettings({ env, workingDir: database.dataDir })), port: 0 };
    service = await startService(config, {
      logger: createLogger({ level: 'silent' }),
      passwords: cheapPasswords(),
    });
    reader = new DatabaseSync(path.join(database.dataDir, 'relay.db'), { readOnly: true });
    const answer = await request(`${service.address}/openapi.json`, { dispatcher: agent });
    document = withoutNames((await answer.body.json()) as OpenApiDocument);
  });
  afterAll(async () => {
    reader.close();
    await agent.close();
    await service.close();
    await database.drop();
  });

  /** Everything that a request could store; what the service writes by itself is left out. */
  function stored(): string {
    const tables = {
      bots: '*',
      routes: '*',
      messages: '*',
      tags: '*',
      users: '*',
      sessions: 'token_hash, user_id, expires_at',
      settings: '*',
      api_keys: 'id, name, key_hash, scope, bot_ids, expires_at, disabled',
    };
    const rows = Object.entries(tables).map(([table, columns]) =>
      reader.prepare(`select ${columns} from ${table}`).all(),
    );
    return JSON.stringify(rows);
  }

  async function ask(asked: HostileRequest) {
    const query = asked.query.map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
    const url = `${service.address}${asked.path}${query.length > 0 ? `?${query.join('&')}` : ''}`;
    const answer = await request(url, {
      dispatcher: agent,
      method: asked.method as 'GET',
      headers: {
        ...asked.headers,
        ...(asked.withKey ? { authorization: `Bearer ${service.localKey}` } : {}),
      },
      ...(asked.body === undefined ? {} : { body: asked.body }),
    });
    return { status: answer.statusCode, text: await answer.body.text(), headers: answer.headers };
  }

  async function judge(asked: HostileRequest, { responses }: OpenApiOperation): Promise<void> {
    const documented = Object.keys(responses);
    const before = stored();
    const { status, text, headers } = await ask(asked);
    const context = `${asked.method} ${asked.path} with ${asked.wrong}: ${status} ${text.slice(0, 300)}`;
    expect(headers['x-request-id'], context).toBeDefined();
    if (asked.expected) expect(asked.expected, context).toContain(status);
    else expect(documented, context).toContain(String(status));
    expect(status, context).not.toBe(500);
    if (status < 400) {
      expectToFit(responses['200'], headers['content-type'], text, context);
      return;
    }
    const body = JSON.parse(text) as Record<string, unknown>;
    expect(body, context).toMatchObject({
      error: expect.any(String),
      code: expect.stringMatching(/^[a-z_]+$/),
      request_id: headers['x-request-id'],
    });
    // A URL that is too long has no field to blame.
    const isTooLong = body['reason_code'] === 'headers_too_long';
    if (status === 400 && body['code'] === 'invalid_request' && !isTooLong) {
      expect(body['details'], context).toEqual(
        expect.arrayContaining([expect.objectContaining({ field: expect.any(String) })]),
      );
    }
    expect(stored(), `${context} left something behind`).toBe(before);
  }

  it('answers with a clear refusal that leaves nothing behind', async () => {
    const operations = operationsOf(document);
    expect(operations.map(({ path: asked }) => asked)).toEqual(
      expect.arrayContaining(['/api/bots/add', '/api/routes/update', '/api/tags/add']),
    );
    const asked = operations.map((target) => ({
      operation: target.operation,
      requests: fc.sample(requestsTo(target), { seed, numRuns: requestsEach }),
    }));
    for (const { operation, requests } of asked) {
      for (const next of requests) await judge(next, operation);
    }
  });

  if (!largeBodies) return;
  it('refuses 10 MB everywhere', async () => {
    const before = stored();
    const body = JSON.stringify({ text: 'x'.repeat(10_000_000) });
    for (const target of operationsOf(document)) {
      if (!target.body) continue;
      const { status, text } = await ask({
        wrong: 'ten megabytes',
        method: target.method,
        path: target.path,
        query: [],
        headers: { 'content-type': 'application/json' },
        body,
        withKey: true,
        expected: [413],
      });
      expect(status, `${target.path}: ${text}`).toBe(413);
    }
    expect(stored()).toBe(before);
  });
}
