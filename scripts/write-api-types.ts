// `npm run docs`: writes the types of the API, for the command, the demo and the page. A test compares.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { OpenApiDocument, OpenApiOperation } from '../src/http/openapi/openapi.ts';
import type { JsonSchema } from '../src/http/schemas.ts';

export const apiTypesFile = new URL('../src/api-types.ts', import.meta.url);

export async function writeApiTypes(address: string): Promise<void> {
  writeFileSync(apiTypesFile, await apiTypes(address));
}

/** The types of everything below /api, and of the readiness check, from the document that a running service publishes. */
export async function apiTypes(address: string): Promise<string> {
  const response = await fetch(`${address}/openapi.json`);
  const { components, paths } = (await response.json()) as OpenApiDocument;
  const calls: Record<string, string[]> = { get: [], post: [] };
  for (const [path, operations] of Object.entries(paths).sort(byName)) {
    for (const [method, operation] of Object.entries(operations)) {
      if (path.startsWith('/api/') || path === '/readyz')
        calls[method]?.push(`  '${path}': ${callOf(method, operation)};`);
    }
  }
  const text = [block('Gets', calls['get'] ?? []), block('Posts', calls['post'] ?? [])].join('\n');
  const shapes = new Map<string, string>();
  const describe = (from: string) => {
    for (const [, name = ''] of from.matchAll(/\b([A-Z]\w*)\b/g)) {
      const schema = components.schemas[name];
      if (!schema || shapes.has(name)) continue;
      shapes.set(name, '');
      const shape = typeOf(schema);
      describe(shape);
      shapes.set(
        name,
        shape.startsWith('{') && shape.endsWith('}')
          ? `interface ${name} ${shape}`
          : `type ${name} = ${shape};`,
      );
    }
  };
  describe(text);
  const named = [...shapes].sort(byName).map(([, shape]) => `export ${shape}`);
  return formatted(
    `// Written by \`npm run docs\` from the declarations of the endpoints.\n\n${text}\n${named.join('\n\n')}\n`,
  );
}

/** Biome keeps a line for each property, because every brace is followed by a line break. */
function formatted(source: string): string {
  const biome = createRequire(new URL('../test/package.json', import.meta.url)).resolve(
    '@biomejs/biome/bin/biome',
  );
  const file = fileURLToPath(apiTypesFile);
  return execFileSync(process.execPath, [biome, 'format', `--stdin-file-path=${file}`], {
    input: source,
    encoding: 'utf8',
    cwd: fileURLToPath(new URL('..', import.meta.url)),
  });
}

function block(name: string, lines: string[]): string {
  return `/** ${name === 'Gets' ? 'GET' : 'POST'}, by path. */\nexport interface ${name} {\n${lines.join('\n')}\n}\n`;
}

function callOf(
  method: string,
  { parameters = [], requestBody, responses }: OpenApiOperation,
): string {
  const part = (where: string) => {
    const inside = parameters.filter((one) => one['in'] === where);
    const fields = inside.map(({ name, required, schema }) =>
      fieldOf(
        String(name),
        required === true,
        `${typeOf(schema as JsonSchema)}${required ? '' : ' | undefined'}`,
      ),
    );
    const isOptional = inside.every(({ required }) => required !== true);
    return inside.length > 0
      ? fieldOf(where === 'header' ? 'headers' : where, !isOptional, objectWith(fields))
      : '';
  };
  const content = requestBody?.content ?? {};
  const body = (content['application/json'] ?? Object.values(content)[0])?.schema;
  const isNeeded = requestBody?.required === true;
  const answers = responses['200']?.['content'] as Record<string, { schema: JsonSchema }>;
  const answer = Object.entries(answers).find(([type]) => type.startsWith('application/json'))?.[1];
  const parts = [
    part('query') || (method === 'get' ? 'query?: Record<string, never>;' : ''),
    part('header'),
    body ? fieldOf('body', isNeeded, typeOf(body)) : '',
    fieldOf('response', true, answer ? typeOf(answer.schema) : 'string'),
  ];
  return objectWith(parts.filter(Boolean));
}

function fieldOf(name: string, isRequired: boolean, type: string): string {
  return `${/^\w+$/.test(name) ? name : `'${name}'`}${isRequired ? '' : '?'}: ${type};`;
}

function typeOf(schema: JsonSchema): string {
  const { $ref, anyOf, const: value, enum: values, type } = schema;
  if ($ref !== undefined) return $ref.slice($ref.lastIndexOf('/') + 1);
  if (value !== undefined) return JSON.stringify(value);
  if (values) return values.map((one) => JSON.stringify(one)).join(' | ');
  if (anyOf) return anyOf.map(typeOf).join(' | ');
  if (Array.isArray(type)) return type.map((one) => typeOf({ ...schema, type: one })).join(' | ');
  if (type === 'array') return arrayOf(typeOf(schema.items ?? {}));
  if (type === 'object') return objectOf(schema);
  if (type === 'integer') return 'number';
  return type ?? 'unknown';
}

function arrayOf(item: string): string {
  return /^\w+$/.test(item) ? `${item}[]` : `(${item})[]`;
}

function objectOf({
  properties = {},
  required = [],
  patternProperties = {},
  additionalProperties,
}: JsonSchema): string {
  const rest = typeof additionalProperties === 'object' ? typeOf(additionalProperties) : 'unknown';
  const fields = Object.entries(properties).map(([name, part]) =>
    fieldOf(name, required.includes(name), typeOf(part)),
  );
  // A second name of a field, such as ^delay_ms$.
  const aliases = Object.entries(patternProperties).map(([name, part]) =>
    fieldOf(name.slice(1, -1), false, typeOf(part)),
  );
  const isOpen = additionalProperties !== undefined && additionalProperties !== false;
  if (fields.length === 0) return `Record<string, ${rest}>`;
  return objectWith([...fields, ...aliases, ...(isOpen ? [`[name: string]: ${rest};`] : [])]);
}

function objectWith(fields: string[]): string {
  return `{\n${fields.join('\n')}\n}`;
}

function byName([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1;
}
