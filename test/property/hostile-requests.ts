/*
 * Requests made from nothing but the OpenAPI document: for each operation some that fit and many
 * that are wrong in one way, each with the statuses that may answer it.
 */
import fc from 'fast-check';
import type { OpenApiDocument, OpenApiOperation } from '../../src/http/openapi/openapi.ts';
import type { JsonSchema } from '../../src/http/schemas.ts';
import { fitting, nastyTexts, record, unfitting } from './schema-arbitrary.ts';

export interface Operation {
  method: string;
  path: string;
  operation: OpenApiOperation;
  query: JsonSchema;
  body: JsonSchema | undefined;
}

export interface HostileRequest {
  /** What is wrong with it. */
  wrong: string;
  method: string;
  path: string;
  query: [string, string][];
  headers: Record<string, string>;
  /** The body's text; undefined sends none. */
  body: string | undefined;
  withKey: boolean;
  /** The only allowed statuses; undefined for all documented ones. */
  expected: number[] | undefined;
}

export function operationsOf(document: OpenApiDocument): Operation[] {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => {
      const parameters = (operation.parameters ?? []).filter((one) => one['in'] === 'query');
      return {
        method: method.toUpperCase(),
        path: path.replaceAll(/\{\w+\}/g, '1'),
        operation,
        query: {
          type: 'object',
          properties: Object.fromEntries(
            parameters.map((one) => [String(one['name']), one['schema'] as JsonSchema]),
          ),
          required: parameters.filter((one) => one['required']).map((one) => String(one['name'])),
        },
        body: operation.requestBody?.content['application/json']?.schema,
      };
    }),
  );
}

export function requestsTo(target: Operation): fc.Arbitrary<HostileRequest> {
  return fitsOf(target).chain((fits) => fc.oneof(...variants(target, fits)));
}

/** Requests with nothing wrong in them; what they ask for may still not exist. */
export function fittingRequestsTo(target: Operation): fc.Arbitrary<HostileRequest> {
  return fitsOf(target).map((fits) => sendTo(target, fits)('nothing', { expected: undefined }));
}

function fitsOf(target: Operation): fc.Arbitrary<Fits> {
  return fc.record({
    query: record(target.query),
    body: target.body ? record(target.body) : fc.constant(undefined),
  });
}

type Fits = { query: Record<string, unknown>; body: Record<string, unknown> | undefined };

const sendTo =
  (target: Operation, fits: Fits): Send =>
  (wrong, change = {}) => ({
    wrong,
    method: target.method,
    path: target.path,
    query: entries(fits),
    headers: target.body ? json : {},
    body: fits.body === undefined ? undefined : JSON.stringify(fits.body),
    withKey: true,
    expected: [400],
    ...change,
  });

function variants(target: Operation, fits: Fits): fc.Arbitrary<HostileRequest>[] {
  const send = sendTo(target, fits);
  const isPublic = target.operation.security.length === 0;
  const all: fc.Arbitrary<HostileRequest>[] = [
    fc.constant(send('an unknown parameter', { query: [...entries(fits), ['no_such', '1']] })),
    fc.constant(send('another method', { method: 'DELETE', body: undefined, expected: [405] })),
  ];
  // An accepted stream stays open: only rejected ones can be awaited.
  if (!isStream(target)) all.push(fc.constant(send('nothing', { expected: undefined })));
  if (!isPublic) {
    all.push(fc.constant(send('no key', { withKey: false, expected: [401] })));
  }
  all.push(...queryVariants(target, fits, send), ...bodyVariants(target, fits, send));
  return all;
}

type Send = (wrong: string, change?: Partial<HostileRequest>) => HostileRequest;

function queryVariants(target: Operation, fits: Fits, send: Send): fc.Arbitrary<HostileRequest>[] {
  const all: fc.Arbitrary<HostileRequest>[] = [];
  for (const [name, schema] of Object.entries(target.query.properties ?? {})) {
    const others = entries(fits).filter(([other]) => other !== name);
    const given = asText(name, fits.query[name] ?? 1);
    const replace = (wrong: string, text: string) =>
      send(`${wrong} ${name}`, { query: [...others, [name, text]] });
    all.push(
      fc.constant(send(`twice ${name}`, { query: [...others, [name, given], [name, given]] })),
      fc.constant(replace('a NUL in', 'a\u0000b')),
    );
    if (target.query.required?.includes(name)) {
      all.push(fc.constant(send(`without ${name}`, { query: others })));
    }
    if (schema.type === 'integer') {
      const { maximum, minimum } = schema;
      const texts = ['', 'x', '1.5', '1e3', '0x10', ' 1'];
      // Unbounded numbers are reduced to the largest valid value.
      if (maximum !== undefined) texts.push('9007199254740993');
      if (minimum !== undefined) texts.push('-9007199254740993');
      all.push(
        fc
          .constantFrom(...texts, ...nastyTexts.filter((text) => !/^-?\d+$/.test(text)))
          .map((text) => replace(`${JSON.stringify(text.slice(0, 30))} as`, text)),
      );
      if (minimum !== undefined && minimum > -100) {
        all.push(fc.constant(replace('too small', String(minimum - 1))));
      }
    }
  }
  return all;
}

function bodyVariants(target: Operation, fits: Fits, send: Send): fc.Arbitrary<HostileRequest>[] {
  if (!target.body) {
    return target.method === 'GET'
      ? []
      : [fc.constant(send('a body', { headers: json, body: '{"no_such":1}' }))];
  }
  const { properties = {}, required = [] } = target.body;
  const valid = fits.body ?? {};
  const text = JSON.stringify(valid);
  const all: fc.Arbitrary<HostileRequest>[] = [
    fc.constant(send('an unknown field', { body: JSON.stringify({ ...valid, no_such: 1 }) })),
    fc.constant(send('__proto__', { body: `{"__proto__":{"admin":true},${text.slice(1)}` })),
    fc.constant(send('half of the JSON', { body: text.slice(0, -1) })),
    fc.constantFrom('[]', 'null', '1', '"x"', '[{}]').map((body) => send('no object', { body })),
    fc
      .constantFrom('text/plain', 'application/xml', 'application/x-www-form-urlencoded')
      .map((type) => send(type, { headers: { 'content-type': type }, expected: [415] })),
    fc.constant(send('nested too deep', { body: `${'['.repeat(5_000)}${']'.repeat(5_000)}` })),
  ];
  if (required.length > 0) {
    all.push(
      fc.constantFrom(...required).map((name) => {
        const { [name]: _left, ...rest } = valid;
        return send(`without ${name}`, { body: JSON.stringify(rest) });
      }),
    );
  }
  const fields = Object.entries(properties);
  if (fields.length > 0) {
    all.push(
      fc.constantFrom(...fields).chain(([name, schema]) =>
        unfitting(schema).map((value) =>
          value === undefined
            ? send(`any ${name}`, { expected: undefined })
            : send(`${JSON.stringify(value)} as ${name}`, {
                body: JSON.stringify({ ...valid, [name]: value }),
              }),
        ),
      ),
      fc.constantFrom(...fields).chain(([name, schema]) =>
        fitting(schema).map((value) =>
          send(`another ${name}`, {
            body: JSON.stringify({ ...valid, [name]: value }),
            expected: undefined,
          }),
        ),
      ),
    );
  }
  return all;
}

const json = { 'content-type': 'application/json' };

function entries(fits: Fits): [string, string][] {
  return Object.entries(fits.query).map(([name, value]) => [name, asText(name, value)]);
}

function asText(name: string, value: unknown): string {
  // A long poll that waits proves nothing more than one that does not.
  return name === 'timeout' ? '0' : String(value as string | number | boolean);
}

export function isStream({ operation }: Operation): boolean {
  const content = (operation.responses['200']?.['content'] ?? {}) as Record<string, unknown>;
  return Object.keys(content).some((type) => type.includes('event-stream'));
}
