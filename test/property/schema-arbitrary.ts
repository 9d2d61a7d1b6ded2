import fc from 'fast-check';
import type { JsonSchema } from '../../src/http/schemas.ts';

/** Texts that have broken services before. */
export const nastyTexts = [
  "'; drop table bots; --",
  "' or '1'='1",
  '"); delete from messages; --',
  '${7*7}',
  '{{constructor}}',
  '../../etc/passwd',
  '<script>alert(1)</script>',
  '\u202Egnp.exe',
  '😀',
  ' ',
  '',
  '0',
  '-1',
  'null',
  'true',
  '%00',
  '\\u0000',
  'a'.repeat(5_000),
  '🏳️‍🌈'.repeat(200),
];

/** Values that fit a schema, or nearly do: a service may refuse them, but must know why. */
export function fitting(schema: JsonSchema): fc.Arbitrary<unknown> {
  const given = (schema.examples ?? []).map((example) => fc.constant(example));
  return given.length > 0 ? fc.oneof(shaped(schema), ...given) : shaped(schema);
}

function shaped(schema: JsonSchema): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(fitting));
  switch (schema.type) {
    case 'integer':
    case 'number': {
      const min = schema.minimum ?? -(2 ** 52);
      const max = schema.maximum ?? 2 ** 52;
      const small = Math.max(min, Math.min(max, 1));
      return fc.oneof(
        fc.integer({ min: small, max: Math.min(max, small + 4) }),
        fc.integer({ min, max }),
      );
    }
    case 'boolean':
      return fc.boolean();
    case 'string':
      return fc
        .oneof(
          fc.string({ unit: 'grapheme', maxLength: 40 }),
          fc.constantFrom(...nastyTexts),
          fc.constant('1234567:AAbbCCddEEffGGhhIIjjKKllMMnnOOppQQr'),
          fc.constant('http://127.0.0.1:9/hook'),
        )
        .map((text) => text.slice(0, schema.maxLength ?? text.length));
    case 'array':
      return fc.array(schema.items ? fitting(schema.items) : fc.constant(1), { maxLength: 4 });
    case 'object':
      return record(schema);
    case 'null':
      return fc.constant(null);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

export function record(schema: JsonSchema): fc.Arbitrary<Record<string, unknown>> {
  const properties = schema.properties ?? {};
  return fc.record(
    Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, fitting(part)])),
    { requiredKeys: schema.required ?? [] },
  );
}

/** Values no schema of this kind accepts. */
export function unfitting(schema: JsonSchema): fc.Arbitrary<unknown> {
  const kinds: { type: string; value: unknown }[] = [
    { type: 'string', value: 'not a number' },
    { type: 'number', value: 1.5 },
    { type: 'boolean', value: true },
    { type: 'array', value: [[[]]] },
    { type: 'object', value: { a: { b: 1 } } },
    { type: 'null', value: null },
  ];
  const accepted = new Set((schema.anyOf ?? [schema]).map((part) => part.type ?? anyType(part)));
  if (accepted.has('any')) return fc.constant(undefined);
  const wrong = kinds.filter((kind) => !accepted.has(kind.type)).map((kind) => kind.value);
  const outside: unknown[] = [2 ** 53, -(2 ** 53), 1e300];
  if (schema.minimum !== undefined) outside.push(schema.minimum - 1);
  if (schema.maximum !== undefined) outside.push(schema.maximum + 1);
  const hostile = ['a\u0000b', 'a\uD800', '\uDFFFb'];
  return fc.constantFrom(
    ...wrong,
    ...(accepted.has('integer') ? outside : []),
    ...(accepted.has('string') ? hostile : []),
  );
}

function anyType(schema: JsonSchema): string {
  if (schema.enum) return typeof schema.enum[0];
  if (schema.const !== undefined) return typeof schema.const;
  return 'any';
}
