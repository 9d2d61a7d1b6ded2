/*
 * Builds the published document. Each object and each error response has a name and appears once: a
 * generated client gets readable types, and the document stays small. Integers have a format for
 * their width, and texts in requests exclude NUL, which the service refuses everywhere.
 */
import type { OpenApiDocument, OpenApiOperation } from './openapi.ts';
import type { JsonSchema } from '../schemas.ts';

type Json = Record<string, unknown>;
type Content = Record<string, { schema: JsonSchema }>;

/** Written as `\x00`, as not every client language knows `\u0000`. */
const withoutNul = '^[^\\x00]*$';

/** `known` has the responses with a name; others are named after the place they occur in. */
export function withNamedComponents(
  document: OpenApiDocument,
  known: Record<string, JsonSchema>,
): OpenApiDocument {
  const schemas = createNamed('schemas');
  const responses = createNamed('responses');
  // Parts come before the objects that contain them.
  for (const [name, schema] of Object.entries({ ...document.components.schemas, ...known })) {
    published(schema, name, false, {
      ...schemas,
      // Two equal parts of one object have one name from here on, as they would have elsewhere.
      add(wanted, part) {
        const named = schemas.add(wanted, part);
        schemas.know();
        return named;
      },
    });
  }

  function operationOf(path: string, operation: OpenApiOperation): OpenApiOperation {
    const name = pascal(path.replace(/^\/api\//, ''));
    const { parameters, requestBody } = operation;
    return {
      ...operation,
      ...(parameters ? { parameters: parameters.map((one) => parameterOf(name, one)) } : {}),
      ...(requestBody
        ? {
            requestBody: {
              ...requestBody,
              content: namedContent(requestBody.content, `${name}Request`, true),
            },
          }
        : {}),
      responses: Object.fromEntries(
        Object.entries(operation.responses).map(([status, response]) => [
          status,
          responseOf(name, response),
        ]),
      ),
    };
  }

  function parameterOf(name: string, parameter: Json): Json {
    const schema = published(parameter['schema'] as JsonSchema, name, true, schemas);
    // The parameter has the description already.
    const { description: _, ...rest } = schema;
    return { ...parameter, schema: rest };
  }

  function namedContent<C extends Content>(content: C, name: string, isRequest: boolean): C {
    const entries = Object.entries(content).map(([type, { schema, ...more }]) => {
      // A form and a JSON body need two names.
      const form = type.startsWith('multipart/') ? name.replace(/Request$/, 'Form') : name;
      return [type, { schema: published(schema, form, isRequest, schemas), ...more }];
    });
    return Object.fromEntries(entries) as C;
  }

  function responseOf(name: string, response: Json): Json {
    const content = response['content'] as Record<string, { examples?: Json }> & Content;
    const codes = Object.keys(content['application/json']?.examples ?? {});
    if (codes.length > 0) return responses.add(codes.map(pascal).join('Or'), response);
    return { ...response, content: namedContent(content, `${name}Response`, false) };
  }

  const paths = Object.fromEntries(
    Object.entries(document.paths).map(([path, operations]) => [
      path,
      Object.fromEntries(
        Object.entries(operations).map(([method, one]) => [method, operationOf(path, one)]),
      ),
    ]),
  );
  return {
    ...document,
    paths,
    components: {
      ...document.components,
      schemas: schemas.all(),
      responses: responses.all(),
    },
  };
}

type Named = ReturnType<typeof createNamed>;

function createNamed(kind: 'schemas' | 'responses') {
  const texts = new Map<string, string>();
  const known = new Map<string, string>();
  return {
    /** A reference to this part, by its known name or else by the wanted one. */
    add(wanted: string, part: object): { $ref: string } {
      const text = JSON.stringify(part);
      let name = known.get(text) ?? wanted;
      for (let copy = 2; (texts.get(name) ?? text) !== text; copy++) name = `${wanted}${copy}`;
      texts.set(name, text);
      return { $ref: `#/components/${kind}/${name}` };
    },
    /** After this call, equal content has the same name everywhere. */
    know() {
      for (const [name, text] of texts) known.set(text, name);
    },
    all: () => {
      const sorted = [...texts].sort(([a], [b]) => (a < b ? -1 : 1));
      return Object.fromEntries(sorted.map(([name, text]) => [name, JSON.parse(text) as object]));
    },
  };
}

function published(schema: JsonSchema, name: string, isRequest: boolean, named: Named): JsonSchema {
  if (schema.$ref !== undefined) return schema;
  const { description, 'x-stated': rules, ...declared } = schema;
  const rest: JsonSchema = { ...declared, ...rules };
  const inner = (part: JsonSchema, at: string) => published(part, at, isRequest, named);
  const { items, anyOf, additionalProperties } = rest;
  const { properties, aliases } = fieldsOf(rest);
  const whole: JsonSchema = {
    ...rest,
    ...formatOf(rest),
    ...(isRequest && isFreeText(rest) ? { pattern: withoutNul } : {}),
    ...(properties
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([key, part]) => [key, inner(part, name + pascal(key))]),
          ),
        }
      : {}),
    ...(aliases ? { patternProperties: aliases } : {}),
    ...(items ? { items: inner(items, singular(name)) } : {}),
    ...(anyOf ? { anyOf: anyOf.map((part) => inner(part, name)) } : {}),
    ...(typeof additionalProperties === 'object'
      ? { additionalProperties: inner(additionalProperties, `${name}Value`) }
      : {}),
  };
  const isNamed = Object.keys(properties ?? {}).length > 0;
  return {
    ...(isNamed ? named.add(name, whole) : whole),
    ...(description === undefined ? {} : { description }),
  };
}

/** In many languages delay_ms and delayMs become one name, so only one of them is a property. */
function fieldsOf({ properties }: JsonSchema) {
  const entries = Object.entries(properties ?? {});
  const aliases = entries.flatMap(([name, { 'x-alias': isAlias, ...part }]) =>
    isAlias ? [[`^${name}$`, { ...part, ...formatOf(part) }]] : [],
  );
  return {
    properties: properties && Object.fromEntries(entries.filter(([, part]) => !part['x-alias'])),
    aliases:
      aliases.length > 0 ? (Object.fromEntries(aliases) as Record<string, JsonSchema>) : undefined,
  };
}

const int32 = { minimum: -(2 ** 31), maximum: 2 ** 31 - 1 };

/** Integers beyond 32 bits have a format: many generators assume 32 bits. */
function formatOf({ type, minimum, maximum }: JsonSchema): { format?: string } {
  if (![type].flat().includes('integer')) return {};
  const fits =
    minimum !== undefined &&
    maximum !== undefined &&
    minimum >= int32.minimum &&
    maximum <= int32.maximum;
  return { format: fits ? 'int32' : 'int64' };
}

function isFreeText(schema: JsonSchema): boolean {
  const { type, pattern, format, enum: values } = schema;
  return type === 'string' && !pattern && !format && !values && !('const' in schema);
}

function pascal(text: string): string {
  return text
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

function singular(name: string): string {
  if (name.endsWith('ies')) return `${name.slice(0, -3)}y`;
  return /[^s]s$/.test(name) ? name.slice(0, -1) : `${name}Item`;
}
