import type { JsonSchema } from '../schemas.ts';

/** Returns a sample request: the required fields, and the optional ones with an example or a default. */
export function requestExampleOf(schema: JsonSchema): unknown {
  if (schema.type !== 'object') return exampleOf(schema);
  const { properties = {}, required = [] } = schema;
  const shown = Object.entries(properties).filter(
    ([name, part]) => required.includes(name) || part.examples !== undefined || 'default' in part,
  );
  return Object.fromEntries(shown.map(([name, part]) => [name, exampleOf(part)]));
}

/** Returns a valid value: an example or default if the schema has one, otherwise a plain one. */
export function exampleOf(schema: JsonSchema): unknown {
  const given = schema.examples?.[0];
  if (given !== undefined) return given;
  if ('default' in schema) return schema.default;
  if ('const' in schema) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf) return exampleOf(schema.anyOf[0] ?? {});
  switch (schema.type) {
    case 'integer':
    case 'number':
      return Math.max(1, schema.minimum ?? 1);
    case 'boolean':
      return false;
    case 'string':
      return 'x'.repeat(schema.minLength ?? 0);
    case 'array':
      return schema.items ? [exampleOf(schema.items)] : [];
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([name, part]) => [name, exampleOf(part)]),
      );
    default:
      return null;
  }
}
