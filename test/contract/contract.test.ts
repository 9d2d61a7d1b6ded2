import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDomainApp } from '../support/rigs/domain-app.ts';
import { withoutNames } from '../support/openapi.ts';
import { type ContractEndpoint, endpoints, type InputField, resources } from './tables.ts';

interface Schema {
  type?: string;
  enum?: string[];
  default?: unknown;
  format?: string;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  else?: Schema;
}

interface Operation {
  parameters?: { name: string; in: string; required: boolean; schema: Schema }[];
  requestBody?: { required: boolean; content: Record<string, { schema: Schema }> };
  responses: Record<string, { content: Record<string, { schema: Schema }> }>;
  security: unknown[];
}

interface Service {
  adminHeaders: Record<string, string>;
  ask(
    method: 'GET' | 'POST',
    path: string,
    headers?: Record<string, string>,
  ): Promise<{ status: number; headers: Headers; text: string }>;
  close(): Promise<void>;
}

/** Another one than this checkout's where the surroundings name one, such as an installed package. */
async function serviceUnderTest(): Promise<Service> {
  const { BOT_RELAY_ADDRESS: address, BOT_RELAY_KEY: key = '' } = process.env;
  if (address) {
    return {
      adminHeaders: { authorization: `Bearer ${key}` },
      async ask(method, path, headers = {}) {
        const response = await fetch(address + path, { method, headers });
        return { status: response.status, headers: response.headers, text: await response.text() };
      },
      close: async () => {},
    };
  }
  const app = await startDomainApp('sqlite');
  return {
    adminHeaders: (await app.key('admin')).headers,
    async ask(method, url, headers = {}) {
      const response = await app.app.inject({ method, url, headers });
      return {
        status: response.statusCode,
        headers: new Headers(response.headers as Record<string, string>),
        text: response.payload,
      };
    },
    close: () => app.close(),
  };
}

/** The service as it describes itself, held against the contract. */
describe('the contract', () => {
  let service: Service;
  let paths: Record<string, Record<string, Operation>>;

  beforeAll(async () => {
    service = await serviceUnderTest();
    const { text } = await service.ask('GET', '/openapi.json');
    paths = withoutNames(JSON.parse(text)).paths as unknown as typeof paths;
  });
  afterAll(() => service.close());

  const operationOf = ({ path, method }: ContractEndpoint): Operation => {
    const operation = paths[path]?.[method];
    if (!operation) throw new Error(`${method} ${path} is not served`);
    return operation;
  };

  function compareInput(promised: InputField[], served: Map<string, Schema & { must: boolean }>) {
    const names = promised.map(({ name }) => name);
    expect([...served.keys()]).toEqual(expect.arrayContaining(names));
    for (const { name, type, required, values, ...more } of promised) {
      const schema = served.get(name);
      expect(schema, name).toBeDefined();
      expect(schema?.type, `${name}: type`).toBe(type);
      expect(schema?.must, `${name}: required`).toBe(required);
      if ('default' in more) expect(schema?.default, `${name}: default`).toBe(more.default);
      if (values) expect(schema?.enum, `${name}: values`).toEqual(expect.arrayContaining(values));
    }
    const own = new Set(names);
    for (const [name, { must }] of served) {
      // Additions to the contract must never be required of a client that knows only the contract.
      if (!own.has(name)) expect(must, `${name}: required beyond the contract`).toBe(false);
    }
  }

  describe.each(endpoints)('$method $path', (endpoint) => {
    it('takes the parameters of the contract', () => {
      const served = (operationOf(endpoint).parameters ?? []).filter((p) => p.in === 'query');
      compareInput(
        endpoint.query,
        new Map(served.map(({ name, schema, required }) => [name, { ...schema, must: required }])),
      );
    });

    it('takes the body of the contract', () => {
      const { requestBody } = operationOf(endpoint);
      if (endpoint.body.length === 0) {
        expect(requestBody).toBeUndefined();
        return;
      }
      expect(Object.keys(requestBody?.content ?? {})).toEqual(['application/json']);
      const { properties = {}, ...body } = requestBody?.content['application/json']?.schema ?? {};
      // A client that knows only the contract is in the `else` of a rule about a newer field.
      const required = new Set([...(body.required ?? []), ...(body.else?.required ?? [])]);
      compareInput(
        endpoint.body,
        new Map(
          Object.entries(properties).map(([name, schema]) => [
            name,
            { ...schema, must: required.has(name) },
          ]),
        ),
      );
    });

    it('answers with the resource of the contract, its fields in that order', () => {
      const answer = operationOf(endpoint).responses['200']?.content['application/json']?.schema;
      const { resource, list } = endpoint.answers;
      expect(answer?.type).toBe(list ? 'array' : 'object');
      const schema = list ? answer?.items : answer;
      const promised = resources[resource];
      const names = Object.keys(schema?.properties ?? {});
      expect(names.slice(0, promised.length)).toEqual(promised.map(({ name }) => name));
      for (const field of promised) {
        const served = schema?.properties?.[field.name];
        expect(served?.type, field.name).toBe(field.type);
        if ('values' in field) expect(served?.enum, field.name).toEqual(field.values);
        if ('format' in field) expect(served?.format, field.name).toBe(field.format);
        expect(schema?.required?.includes(field.name), `${field.name}: always there`).toBe(
          !('mayBeAbsent' in field),
        );
      }
    });

    it('needs a key', async () => {
      expect(operationOf(endpoint).security.length).toBeGreaterThan(0);
      for (const authorization of [undefined, 'Bearer brs_wrong', 'Basic brs_wrong']) {
        const { status, headers } = await service.ask(
          endpoint.method === 'get' ? 'GET' : 'POST',
          endpoint.path,
          authorization === undefined ? {} : { authorization },
        );
        expect(status).toBe(401);
        expect(headers.get('www-authenticate')).toBe('Bearer');
      }
    });

    it('answers other methods with 405', async () => {
      const method = endpoint.method === 'get' ? 'POST' : 'GET';
      const answer = await service.ask(method, endpoint.path, service.adminHeaders);
      expect(answer.status).toBe(405);
      expect(answer.headers.get('allow')).toContain(endpoint.method.toUpperCase());
    });
  });
});
