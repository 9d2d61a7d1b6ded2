import { beforeAll, describe, expect, it } from 'vitest';
import type { OpenApiDocument } from '../../src/http/openapi/openapi.ts';
import { type RecordedCall, recordedExamples } from '../../src/http/openapi/recorded-examples.ts';
import type { JsonSchema } from '../../src/http/schemas.ts';
import { check } from '../../src/http/request/validation.ts';
import { withoutNames } from '../support/openapi.ts';
import { temporaryFolder } from '../support/relay-process.ts';
import { serviceForAllTests } from '../support/whole-service.ts';
import { recordStory, shapeOf } from './story/record.ts';

interface Operation {
  parameters?: { name: string; in: string; required: boolean; example?: unknown }[];
  requestBody?: { content: Record<string, { schema: JsonSchema; example?: unknown }> };
  responses: Record<string, { content: Record<string, { schema: JsonSchema; example?: unknown }> }>;
}

/** The examples of the API reference. */
describe('the examples of the API reference', () => {
  const whole = serviceForAllTests('sqlite');
  const recorded = recordedExamples();
  let operations: Map<string, Operation>;
  beforeAll(async () => {
    const answer = await fetch(`${whole.service().address}/openapi.json`);
    const { paths } = withoutNames((await answer.json()) as OpenApiDocument);
    operations = new Map(
      Object.entries(paths).flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, operation]) => [
          `${method.toUpperCase()} ${path}`,
          operation as unknown as Operation,
        ]),
      ),
    );
  });

  it('are there for every endpoint, and for no other', () => {
    expect(Object.keys(recorded).sort()).toEqual([...operations.keys()].sort());
  });

  it('fit the schemas', () => {
    for (const [name, { parameters = [], requestBody, responses }] of operations) {
      for (const { name: parameter, required, example } of parameters) {
        if (required) expect(example, `${name}: ${parameter}`).toBeDefined();
      }
      const contents = [requestBody?.content, responses['200']?.content];
      for (const { schema, example } of contents.flatMap((one) => Object.values(one ?? {}))) {
        if (example !== undefined) expect(problemsOf(schema, example), name).toEqual([]);
      }
    }
  });

  it('are the requests and answers of a service', async () => {
    const folder = temporaryFolder();
    const current = await recordStory(folder.path);
    folder.remove();
    const shapes = (calls: Record<string, RecordedCall>) =>
      Object.fromEntries(Object.entries(calls).map(([name, call]) => [name, shapeOf(call)]));
    expect(shapes(recorded), 'npm run docs records them again').toEqual(shapes(current));
  });

  it('fit together', () => {
    const answer = (name: string) => recorded[name]?.response as never;
    const sent: { text: string } = answer('POST /api/messages/send');
    expect(recorded['POST /api/messages/send']?.body).toMatchObject({ text: sent.text });
    expect(sent).not.toHaveProperty('media_type');
    expect(sent).not.toHaveProperty('deleted_at');
    const [bot]: { id: number; username: string }[] = answer('GET /api/bots');
    expect(answer('POST /api/bots/add')).toMatchObject({ id: bot?.id, username: bot?.username });
    const found: { messages: { text: string }[] } = answer('GET /api/messages/search');
    expect(found.messages[0]?.text).toContain(recorded['GET /api/messages/search']?.query?.['q']);
  });

  it('hold no secret of the machine that recorded them', () => {
    const text = JSON.stringify(recorded);
    const found = (pattern: RegExp) => [...text.matchAll(pattern)].map(([match]) => match);
    expect(found(/brs_(?!ExampleKey)[\w-]+/g)).toEqual([]);
    expect(found(/\d{6,}:(?!AAExample)[\w-]{30,}/g)).toEqual([]);
    expect(found(/127\.0\.0\.1:\d+/g)).toEqual([]);
  });
});

/** A form's example leaves out its file. */
function problemsOf(schema: JsonSchema, example: unknown): unknown[] {
  const file = schema.properties?.['file'] ? { file: 'bytes' } : {};
  const value = schema.type === 'object' ? { ...(example as object), ...file } : example;
  return check(schema, value);
}
