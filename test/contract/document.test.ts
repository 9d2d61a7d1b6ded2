import { beforeAll, describe, expect, it } from 'vitest';
import type { OpenApiDocument } from '../../src/http/openapi/openapi.ts';
import type { JsonSchema } from '../../src/http/schemas.ts';
import { withoutNames } from '../support/openapi.ts';
import { serviceForAllTests } from '../support/whole-service.ts';

type Published = OpenApiDocument & { components: { responses: Record<string, unknown> } };

/** The document from which clients are generated. */
describe('the published document', () => {
  const whole = serviceForAllTests('sqlite');
  let text: string;
  let document: Published;
  beforeAll(async () => {
    text = await (await fetch(`${whole.service().address}/openapi.json`)).text();
    document = JSON.parse(text) as Published;
  });

  const operation = (path: string, method: string) => {
    const found = document.paths[path]?.[method];
    if (!found) throw new Error(`${method} ${path} is not served`);
    return found;
  };
  const answerOf = (path: string, method: string) => {
    const content = operation(path, method).responses['200']?.['content'];
    return (content as Record<string, { schema: JsonSchema }>)['application/json']?.schema;
  };
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

  it('says of every integer how wide it is', () => {
    const integers: JsonSchema[] = [];
    visitSchemas(withoutNames(document), (schema) => {
      if ([schema.type].flat().includes('integer')) integers.push(schema);
    });
    expect(integers.length).toBeGreaterThan(500);
    for (const schema of integers) {
      const { minimum = -Infinity, maximum = Infinity } = schema;
      const narrow = minimum >= -(2 ** 31) && maximum < 2 ** 31;
      expect(schema.format, JSON.stringify(schema)).toBe(narrow ? 'int32' : 'int64');
    }
    expect(document.components.schemas['Message']?.properties?.['chat_id']?.format).toBe('int64');
  });

  it('names the resources', () => {
    expect(answerOf('/api/bots', 'get')?.items).toEqual(ref('Bot'));
    expect(answerOf('/api/bots/add', 'post')).toEqual(ref('Bot'));
    expect(answerOf('/api/routes/update', 'post')).toEqual(ref('Route'));
    expect(answerOf('/api/messages', 'get')?.items).toEqual(ref('Message'));
    expect(answerOf('/api/messages/send-media', 'post')).toEqual(ref('SentMessage'));
    expect(answerOf('/api/tags/add', 'post')).toEqual(ref('Tag'));
    expect(answerOf('/api/chats', 'get')?.items).toEqual(ref('Chat'));
    expect(answerOf('/api/auth/users', 'get')?.items).toEqual(ref('User'));
    expect(answerOf('/api/auth/api-keys', 'get')?.items).toEqual(ref('ApiKey'));
    expect(
      operation('/api/bots/add', 'post').requestBody?.content['application/json']?.schema,
    ).toEqual(ref('BotsAddRequest'));
    expect(operation('/api/bots', 'get').responses['401']).toEqual({
      $ref: '#/components/responses/Unauthorized',
    });
  });

  it('names what it uses and uses what it names', () => {
    const used = new Set(
      [...text.matchAll(/"\$ref":"#\/components\/(\w+\/\w+)"/g)].map(([, at]) => at),
    );
    const { schemas, responses } = document.components;
    const named = [
      ...Object.keys(schemas).map((name) => `schemas/${name}`),
      ...Object.keys(responses).map((name) => `responses/${name}`),
    ];
    expect([...used].sort()).toEqual(named.sort());
    // A number at the end would be a second shape of the same name.
    expect(named.filter((name) => /\d$/.test(name))).toEqual([]);
  });

  it('has no two names that are one in other languages', () => {
    visitSchemas(document, ({ properties = {} }) => {
      const names = Object.keys(properties);
      const plain = new Set(names.map((name) => name.replaceAll('_', '').toLowerCase()));
      expect(plain.size, names.join(', ')).toBe(names.length);
    });
    const { patternProperties } = document.components.schemas['SandboxFaultsAddRequest'] ?? {};
    expect(Object.keys(patternProperties ?? {})).toEqual(['^delay_ms$', '^retry_after_seconds$']);
  });

  it('says that texts in requests hold no NUL', () => {
    const { text: words } = document.components.schemas['MessagesSendRequest']?.properties ?? {};
    const pattern = new RegExp(words?.pattern ?? '');
    expect(pattern.test('a line\nand another')).toBe(true);
    expect(pattern.test('a\0b')).toBe(false);
    expect(document.components.schemas['Message']?.properties?.['text']?.pattern).toBeUndefined();
  });

  it('describes the file of an upload, and its JSON form', () => {
    const { content } = operation('/api/messages/send-media', 'post').requestBody ?? {
      content: {},
    };
    expect(Object.keys(content)).toEqual(['multipart/form-data', 'application/json']);
    const form = document.components.schemas['MessagesSendMediaForm'];
    expect(form?.properties?.['file']).toMatchObject({ type: 'string', format: 'binary' });
    expect(Object.keys(form?.properties ?? {}).at(-1)).toBe('file');
    const json = document.components.schemas['MessagesSendMediaRequest'];
    expect(json?.required).toEqual(['bot_id', 'chat_id', 'type', 'file_id']);
  });

  it('shows the required fields in the example of every form', () => {
    const forms = Object.entries(document.paths).flatMap(([path, methods]) => {
      const form = methods['post']?.requestBody?.content['multipart/form-data'];
      return form ? [{ path, form }] : [];
    });
    expect(forms).not.toEqual([]);
    for (const { path, form } of forms) {
      const { example, schema } = form as { example?: object; schema: JsonSchema };
      const named = document.components.schemas[schema.$ref?.split('/').at(-1) ?? ''] ?? schema;
      expect(Object.keys(example ?? {}), path).toEqual(
        expect.arrayContaining(named.required ?? []),
      );
    }
  });

  it('names the types of answers without a charset', () => {
    const types = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).flatMap(({ responses }) =>
        Object.values(responses).flatMap((answer) =>
          Object.keys((answer as { content?: object }).content ?? {}),
        ),
      ),
    );
    expect(types).toContain('text/csv');
    expect(types.filter((type) => type.includes(';'))).toEqual([]);
  });

  it('names every type an answer can have', () => {
    const typesOf = (path: string) =>
      Object.keys(operation(path, 'get').responses['200']?.['content'] as object);
    expect(typesOf('/api/adminlog/export')).toEqual(['application/x-ndjson', 'text/csv']);
    expect(typesOf('/api/messages/export')).toEqual(['application/x-ndjson', 'text/csv']);
    for (const path of ['/api/media', '/api/sandbox/file']) {
      expect(typesOf(path)).toEqual(
        expect.arrayContaining(['application/octet-stream', 'image/png', 'video/mp4']),
      );
    }
  });

  it('says where it is served and what the groups are', () => {
    expect(document.servers).toEqual([{ url: '/' }]);
    for (const { name, description } of document.tags) expect(description, name).not.toBe('');
  });

  it('stays small', () => {
    expect(text.length).toBeLessThan(900_000);
  });
});

function visitSchemas(value: unknown, visit: (schema: JsonSchema) => void): void {
  if (Array.isArray(value)) for (const part of value) visitSchemas(part, visit);
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return;
  visit(value as JsonSchema);
  for (const [name, part] of Object.entries(value)) {
    if (!['example', 'examples', 'headers'].includes(name)) visitSchemas(part, visit);
  }
}
