import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { sampleLanguages, type SampleRequest, sampleRequest } from '../../src/http/docs/samples.ts';
import type { OpenApiOperation } from '../../src/http/openapi/openapi.ts';
import { recordedExamples } from '../../src/http/openapi/recorded-examples.ts';

const write = (id: 'sh' | 'js' | 'python', request: SampleRequest) =>
  sampleLanguages.find((language) => language.id === id)?.write(request) ?? '';

const base: SampleRequest = {
  method: 'POST',
  path: '/api/things/add',
  query: [['q', 'a b']],
  headers: [['Idempotency-Key', 'order-1']],
  needsKey: true,
  json: { text: "It's ready", silent: true, parse_mode: null, ids: [1, 2] },
  answer: 'json',
};

/** The request that a JavaScript sample makes. */
async function fetched(code: string): Promise<{ url: string; options: { body?: string } }> {
  const { promise, resolve } = Promise.withResolvers<{ url: string; options: object }>();
  await runInNewContext(`(async () => {${code}})()`, {
    process: { env: { RELAY_URL: 'http://relay', RELAY_API_KEY: 'brs_key' } },
    console: { log() {} },
    async fetch(url: string, options: object) {
      resolve({ url, options });
      return Response.json({});
    },
  });
  return promise;
}

describe('samples', () => {
  it('sends the request in JavaScript', async () => {
    const { url, options } = await fetched(write('js', base));
    expect(url).toBe('http://relay/api/things/add?q=a%20b');
    expect({ ...options }).toEqual({
      method: 'POST',
      headers: {
        Authorization: 'Bearer brs_key',
        'Idempotency-Key': 'order-1',
        'Content-Type': 'application/json',
      },
      body: JSON.stringify(base.json),
    });
  });

  it('sends every recorded body unchanged', async () => {
    for (const [name, { body }] of Object.entries(recordedExamples())) {
      if (!body) continue;
      const request = { ...base, json: body };
      const { options } = await fetched(write('js', request));
      expect(JSON.parse(options.body ?? ''), name).toEqual(body);
      const [, quoted = ''] = /-d '([^]*)'$/.exec(write('sh', request)) ?? [];
      expect(JSON.parse(quoted.replaceAll(`'\\''`, "'")), name).toEqual(body);
    }
  });

  it('quotes for the shell', () => {
    expect(write('sh', { ...base, json: { text: "It's" } })).toBe(
      [
        'curl -X POST "$RELAY_URL/api/things/add?q=a%20b"',
        '-H "Authorization: Bearer $RELAY_API_KEY"',
        '-H "Idempotency-Key: order-1"',
        '-H "Content-Type: application/json"',
        `-d '{"text":"It'\\''s"}'`,
      ].join(' \\\n  '),
    );
  });

  it('writes values as Python does', () => {
    const code = write('python', { ...base, json: { a: true, b: null, c: [false, 1.5, 'x'] } });
    expect(code).toContain('json={"a": True, "b": None, "c": [False, 1.5, "x"]},');
    expect(code).toContain('params={"q": "a b"},');
  });

  it('uploads a form, reads a stream, saves bytes, and needs no key where none is needed', () => {
    const { json: _, ...plain } = base;
    const form = { ...plain, headers: [], form: [['bot_id', 1]] } as SampleRequest;
    expect(write('sh', form)).toContain('-F "bot_id=1" \\\n  -F "file=@photo.jpg"');
    expect(write('js', form)).toContain("form.set('bot_id', '1');");
    expect(write('python', form)).toContain('files={"file": open("photo.jpg", "rb")},');
    const get = { ...plain, method: 'GET', query: [], headers: [] } as SampleRequest;
    expect(write('sh', { ...get, answer: 'stream' })).toContain('curl -N ');
    expect(write('sh', { ...get, answer: 'bytes' })).toContain('-o file');
    expect(write('python', { ...get, needsKey: false })).not.toContain('Bearer');
  });

  it('takes its values from the examples of an operation', () => {
    const operation = {
      'x-scope': 'public',
      parameters: [
        { name: 'id', in: 'query', example: 7 },
        { name: 'limit', in: 'query' },
      ],
      responses: { '200': { content: { 'text/csv': {} } } },
    } as unknown as OpenApiOperation;
    expect(sampleRequest('GET', '/x', operation)).toEqual({
      method: 'GET',
      path: '/x',
      query: [['id', 7]],
      headers: [],
      needsKey: false,
      answer: 'text',
    });
  });
});
