import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DomainApp, startDomainApp } from '../support/rigs/domain-app.ts';
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
}

interface Operation {
  parameters?: { name: string; in: string; required: boolean; schema: Schema }[];
  requestBody?: { required: boolean; content: Record<string, { schema: Schema }> };
  responses: Record<string, { content: Record<string, { schema: Schema }> }>;
  security: unknown[];
}

/** The service as it describes itself, held against the contract. */
describe('the contract', () => {
  let app: DomainApp;
  let paths: Record<string, Record<string, Operation>>;

  beforeAll(async () => {
    app = await startDomainApp('sqlite');
    const response = await app.app.inject('/openapi.json');
    paths = withoutNames(response.json()).paths as unknown as typeof paths;
  });
  afterAll(() => app.close());

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
      // What goes beyond the contract must never be asked of a client that knows only that.
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
      const { properties = {}, required = [] } =
        requestBody?.content['application/json']?.schema ?? {};
      compareInput(
        endpoint.body,
        new Map(
          Object.entries(properties).map(([name, schema]) => [
            name,
            { ...schema, must: required.includes(name) },
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
        const response = await app.app.inject({
          method: endpoint.method === 'get' ? 'GET' : 'POST',
          url: endpoint.path,
          headers: authorization === undefined ? {} : { authorization },
        });
        expect(response.statusCode).toBe(401);
        expect(response.headers['www-authenticate']).toBe('Bearer');
      }
    });

    it('answers other methods with 405', async () => {
      const { headers } = await app.key('admin');
      const method = endpoint.method === 'get' ? 'POST' : 'GET';
      const response = await app.app.inject({ method, url: endpoint.path, headers });
      expect(response.statusCode).toBe(405);
      expect(response.headers.allow).toContain(endpoint.method.toUpperCase());
    });
  });
});
