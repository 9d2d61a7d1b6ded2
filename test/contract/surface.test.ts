import { describe, expect, it } from 'vitest';
import {
  brokenPromises,
  type Document,
  operationsOf,
  type Surface,
  withAdditions,
} from './surface.ts';

type Schema = Record<string, unknown>;

interface ObjectSchema extends Schema {
  properties: Record<string, Schema>;
}

const tag: ObjectSchema = {
  type: 'object',
  required: ['id', 'label'],
  properties: {
    id: { type: 'integer' },
    label: { type: 'string' },
    source: { type: 'string', enum: ['cli', 'web'] },
    owner: { type: ['integer', 'null'] },
    parts: {
      type: 'array',
      items: { type: 'object', required: ['size'], properties: { size: { type: 'number' } } },
    },
  },
};

const given: ObjectSchema = {
  type: 'object',
  required: ['label'],
  properties: {
    label: { type: 'string' },
    color: { type: 'string' },
    action: { type: 'string', enum: ['copy', 'drop'] },
  },
};

interface Parts {
  answer: Schema;
  body: Schema;
  parameters: Schema[];
  schemas: Record<string, Schema>;
  codes: string[];
  scope: string;
}

function documentOf(parts: Partial<Parts> = {}): Document {
  const { answer = tag, body = given, schemas = {}, codes = ['not_found'] } = parts;
  const operation = {
    'x-scope': parts.scope ?? 'read',
    parameters: parts.parameters ?? [{ name: 'limit', in: 'query', schema: { type: 'integer' } }],
    requestBody: { required: true, content: { 'application/json': { schema: body } } },
    responses: {
      '200': { content: { 'application/json': { schema: answer } } },
      '404': {
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/Error' },
            examples: Object.fromEntries(codes.map((code) => [code, {}])),
          },
        },
      },
    },
  };
  const error = { type: 'object', required: ['code'], properties: { code: { type: 'string' } } };
  return {
    paths: { '/tags': { post: operation } },
    components: { schemas: { Error: error, ...schemas } },
  } as unknown as Document;
}

function surfaceOf(parts: Partial<Parts> = {}, more: Partial<Surface> = {}): Surface {
  return {
    operations: operationsOf(documentOf(parts)),
    errors: { not_found: '404' },
    settings: { PORT: '--port, port' },
    metrics: { relay_readers: 'gauge' },
    ...more,
  };
}

const before = surfaceOf();
const problemsOf = (parts: Partial<Parts>) => brokenPromises(before, surfaceOf(parts));
const withField = (schema: ObjectSchema, name: string, field: Schema) => ({
  ...schema,
  properties: { ...schema.properties, [name]: field },
});
const without = (schema: ObjectSchema, name: string) => ({
  ...schema,
  properties: Object.fromEntries(
    Object.entries(schema.properties).filter(([other]) => other !== name),
  ),
});

describe('the comparison with the snapshot', () => {
  it('lists what there is', () => {
    expect(before.operations['POST /tags']).toEqual({
      scope: 'read',
      errors: 'codes: not_found',
      'query.limit': 'optional integer',
      body: 'object',
      'body.label': 'string',
      'body.color': 'optional string',
      'body.action': 'optional string: copy | drop',
      '200': 'object',
      '200.id': 'integer',
      '200.label': 'string',
      '200.source': 'optional string: cli | web',
      '200.owner': 'optional integer | null',
      '200.parts': 'optional array',
      '200.parts[]': 'object',
      '200.parts[].size': 'number',
    });
  });

  it('finds nothing where nothing changed', () => {
    expect(problemsOf({})).toEqual([]);
  });

  it.each<[string, Partial<Parts>, string]>([
    ['a removed field', { answer: without(tag, 'label') }, '200.label is gone'],
    [
      'a retyped field',
      { answer: withField(tag, 'id', { type: 'string' }) },
      '200.id was integer, is string',
    ],
    [
      'a field that may now be null',
      { answer: withField(tag, 'id', { type: ['integer', 'null'] }) },
      '200.id was integer, is integer | null',
    ],
    [
      'a field deep inside',
      { answer: withField(tag, 'parts', { type: 'array', items: { type: 'object' } }) },
      '200.parts[].size is gone',
    ],
    [
      'a field that may be absent',
      { answer: { ...tag, required: ['id'] } },
      '200.label was always there, may be absent',
    ],
    [
      'a removed value of an answer',
      { answer: withField(tag, 'source', { type: 'string', enum: ['web'] }) },
      '200.source no longer has cli',
    ],
    [
      'a removed value of a request',
      { body: withField(given, 'action', { type: 'string', enum: ['copy'] }) },
      'body.action no longer has drop',
    ],
    ['a removed request field', { body: without(given, 'color') }, 'body.color is gone'],
    [
      'a request field that became required',
      { body: { ...given, required: ['label', 'color'] } },
      'body.color was optional, is required',
    ],
    [
      'a new required request field',
      { body: { ...withField(given, 'size', { type: 'integer' }), required: ['label', 'size'] } },
      'body.size is new and required',
    ],
    [
      'a free request field with a list of values',
      { body: withField(given, 'color', { type: 'string', enum: ['red'] }) },
      'body.color took any value, takes only red',
    ],
    ['a removed parameter', { parameters: [] }, 'query.limit is gone'],
    [
      'a new required parameter',
      {
        parameters: [
          { name: 'limit', in: 'query', schema: { type: 'integer' } },
          { name: 'bot_id', in: 'query', required: true, schema: { type: 'integer' } },
        ],
      },
      'query.bot_id is new and required',
    ],
    ['a removed error code', { codes: ['chat_not_found'] }, 'errors no longer has not_found'],
    ['another scope', { scope: 'admin' }, 'scope was read, is admin'],
  ])('finds %s', (_, parts, problem) => {
    expect(problemsOf(parts)).toEqual([`POST /tags: ${problem}`]);
  });

  it('finds a removed operation, error code, setting or metric', () => {
    const after = surfaceOf({}, { operations: {}, errors: {}, settings: {}, metrics: {} });
    expect(brokenPromises(before, after)).toEqual([
      'every error is gone',
      'POST /tags is gone',
      'errors: not_found is gone',
      'settings: PORT is gone',
      'metrics: relay_readers is gone',
    ]);
    expect(
      brokenPromises(before, surfaceOf({}, { metrics: { relay_readers: 'counter' } })),
    ).toEqual(['metrics: relay_readers was gauge, is counter']);
  });

  it('lets additions pass', () => {
    const optional = { type: 'object', required: ['a'], properties: { a: { type: 'string' } } };
    const answer = withField(withField(tag, 'more', optional), 'source', {
      type: 'string',
      enum: ['cli', 'web', 'api'],
    });
    const body = withField(withField(given, 'more', optional), 'action', { type: 'string' });
    const codes = ['chat_not_found', 'not_found'];
    expect(problemsOf({ answer, body: { ...body, required: [] }, codes })).toEqual([]);
  });

  it('lets a body have another form', () => {
    const form = 'multipart/form-data';
    const document = documentOf();
    const { content } = document.paths['/tags']?.['post']?.requestBody ?? { content: {} };
    Object.assign(content, { [form]: content['application/json'] });
    const after = { ...before, operations: operationsOf(document) };
    expect(brokenPromises(before, after)).toEqual([]);
    expect(brokenPromises(after, before)).toContain(`POST /tags: body(${form}) is gone`);
  });

  it('looks through named schemas, also those that hold themselves', () => {
    const named = {
      answer: { $ref: '#/components/schemas/Tag' },
      body: {
        allOf: [{ $ref: '#/components/schemas/Given' }, { anyOf: [{ required: ['color'] }, {}] }],
      },
      schemas: { Tag: tag, Given: given },
    };
    expect(problemsOf(named)).toEqual([]);
    expect(problemsOf({ ...named, schemas: { Tag: without(tag, 'label'), Given: given } })).toEqual(
      ['POST /tags: 200.label is gone'],
    );
    const answers = documentOf();
    const operation = answers.paths['/tags']?.['post'];
    answers.components.responses = { Missing: operation?.responses['404'] ?? {} };
    Object.assign(operation?.responses ?? {}, {
      '404': { $ref: '#/components/responses/Missing' },
    });
    expect(operationsOf(answers)).toEqual(before.operations);
    const tree = withField(tag, 'parent', { $ref: '#/components/schemas/Tag' });
    expect(problemsOf({ ...named, schemas: { Tag: tree, Given: given } })).toEqual([]);
  });

  it('joins alternatives', () => {
    const short = { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } };
    const fields = surfaceOf({ answer: { anyOf: [tag, short, { type: 'null' }] } }).operations;
    expect(fields['POST /tags']).toMatchObject({
      '200': 'null | object',
      '200.id': 'integer',
      '200.label': 'optional string',
    });
  });
});

describe('the update of the snapshot', () => {
  it('adds what is new and keeps what was promised', () => {
    const body = { ...without(given, 'color'), required: ['label'] };
    const answer = withField(withField(tag, 'id', { type: 'string' }), 'size', { type: 'integer' });
    const codes = ['chat_not_found', 'not_found'];
    const updated = withAdditions(
      before,
      surfaceOf({ body, answer, codes }, { metrics: { b: 'gauge' } }),
    );
    expect(updated.operations['POST /tags']).toMatchObject({
      errors: 'codes: chat_not_found | not_found',
      'body.color': 'optional string',
      '200.id': 'integer',
      '200.size': 'optional integer',
    });
    expect(updated.metrics).toEqual({ b: 'gauge', relay_readers: 'gauge' });
  });
});
