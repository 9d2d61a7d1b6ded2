import type { AnyReason } from '../core/reasons/shape.ts';
import {
  type TArrayOptions,
  type TNumberOptions,
  type TProperties,
  type TSchema,
  type TSchemaOptions,
  type TStringOptions,
  Type,
} from 'typebox';

/** IDs are JSON numbers, so none may exceed the range that every client represents exactly. */
export const largestId = 2 ** 52 - 1;

/** An ID that the relay assigns. */
export function Id(description: string) {
  return Type.Integer({ minimum: 1, maximum: largestId, description, examples: [1] });
}

/** The ID of a Telegram chat: negative for groups, never 0. */
export function ChatId(description: string) {
  return Type.Integer({
    minimum: -largestId,
    maximum: largestId,
    not: { const: 0 },
    description,
    examples: [-1001234567890],
  });
}

/** The ID of a Telegram user or bot. */
export function UserId(description: string) {
  return Type.Integer({ minimum: 1, maximum: largestId, description, examples: [123456789] });
}

/** The fields below take a description, an example, and what else JSON Schema says of them. */
const described = (description: string, example: unknown, rules: object = {}) => ({
  ...rules,
  description,
  ...(example === undefined ? {} : { examples: [example] }),
});

export const Text = (description: string, example?: string, rules?: TStringOptions) =>
  Type.String(described(description, example, rules));

export const Integer = (description: string, example?: number, rules?: TNumberOptions) =>
  Type.Integer(described(description, example, rules));

export const Flag = (description: string, example?: boolean, rules?: TSchemaOptions) =>
  Type.Boolean(described(description, example, rules));

/** An object without other fields. */
export const Closed = <P extends TProperties>(properties: P, description?: string) =>
  Type.Object(properties, {
    additionalProperties: false,
    ...(description === undefined ? {} : { description }),
  });

export const List = <Item extends TSchema>(
  item: Item,
  description: string,
  example?: unknown[],
  rules?: TArrayOptions,
) => Type.Array(item, described(description, example, rules));

export function Choice<const Words extends readonly string[]>(
  words: Words,
  options: { description?: string; default?: Words[number]; examples?: Words[number][] } = {},
) {
  return Type.Unsafe<Words[number]>({ type: 'string', enum: [...words], ...options });
}

export function Bytes(description?: string) {
  return Type.String({ format: 'binary', ...(description === undefined ? {} : { description }) });
}

export function TopicId(description: string) {
  return Type.Integer({ minimum: 1, maximum: largestId, description, examples: [4] });
}

/** A time in responses: ISO 8601, or '' for never. */
export function Moment(description: string) {
  return Type.String({ description, examples: ['2026-01-31T12:00:00.000Z'] });
}

/** The same fields, which may be left out. */
export const Optional = {
  Id: (description: string) => Type.Optional(Id(description)),
  ChatId: (description: string) => Type.Optional(ChatId(description)),
  UserId: (description: string) => Type.Optional(UserId(description)),
  TopicId: (description: string) => Type.Optional(TopicId(description)),
  Text: (...of: Parameters<typeof Text>) => Type.Optional(Text(...of)),
  Integer: (...of: Parameters<typeof Integer>) => Type.Optional(Integer(...of)),
  Flag: (...of: Parameters<typeof Flag>) => Type.Optional(Flag(...of)),
  List: <Item extends TSchema>(...of: Parameters<typeof List<Item>>) => Type.Optional(List(...of)),
  Choice: <const Words extends readonly string[]>(...of: Parameters<typeof Choice<Words>>) =>
    Type.Optional(Choice(...of)),
  /** A time in requests. */
  Moment: (description: string) =>
    Type.Optional(
      Type.String({ format: 'date-time', description, examples: ['2026-01-31T12:00:00Z'] }),
    ),
};

/** The code and params of the sentence in the field `of`. */
export function Detail(of: string) {
  return Type.Unsafe<AnyReason | null>({
    type: ['object', 'null'],
    properties: {
      code: { type: 'string', description: 'A stable error code.', examples: ['backend_answered'] },
      params: {
        type: 'object',
        additionalProperties: true,
        description: 'The values in the sentence, by name.',
      },
    },
    required: ['code', 'params'],
    description: `The same as ${of}, as a code with params; null if there is none or an older version wrote it.`,
  });
}

/**
 * Declares a body. Unknown fields are refused; those in `ignored` (the read-only fields of the
 * resource) may be present and are dropped, so that a fetched object can be changed and sent back.
 */
export function Body<P extends TProperties>(
  properties: P,
  ignored: readonly string[] = [],
  rules: Rules = {},
) {
  return Type.Object(properties, {
    additionalProperties: false,
    ...(ignored.length > 0 ? { 'x-ignored': [...ignored] } : {}),
    ...stated(rules),
  });
}

/** Rules in JSON Schema, which may use keywords that the validator does not know. */
export type Rules = Record<string, unknown>;

/**
 * Rules that the handler checks. They are published with the schema, so
 * that clients can follow them. Client generators ignore `if`, `then` and `else`,
 * while `oneOf` and `allOf` would become separate types.
 */
export function stated(rules: Rules): { 'x-stated'?: Rules } {
  return Object.keys(rules).length > 0 ? { 'x-stated': rules } : {};
}

/** An HTTP URL, or ''. */
export const addressPattern = '^([Hh][Tt][Tt][Pp][Ss]?:\\S+)?$';

/** Requires exactly one of these fields. */
export function exactlyOne(first: string, ...others: string[]): Rules {
  const [next, ...more] = others;
  if (next === undefined) return { required: [first] };
  return {
    if: { required: [first] },
    then: { not: { anyOf: others.map((name) => ({ required: [name] })) } },
    else: exactlyOne(next, ...more),
  };
}

/** Declares query parameters; each may be given once, unknown ones are refused. */
export function Query<P extends TProperties>(properties: P) {
  return Type.Object(properties, { additionalProperties: false });
}

/** The keywords that schemas of the service use. */
export interface JsonSchema {
  /** Set only in the published document. */
  $ref?: string;
  type?: string | string[];
  description?: string;
  default?: unknown;
  examples?: unknown[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  items?: JsonSchema;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: JsonSchema[];
  not?: { const?: unknown };
  'x-ignored'?: string[];
  'x-stated'?: Rules;
  /** Marks an alias of a field. */
  'x-alias'?: true;
  patternProperties?: Record<string, JsonSchema>;
}

/** TypeBox schemas are JSON schemas; this is only another view of the same object. */
export function asJsonSchema(schema: TSchema): JsonSchema {
  return schema as unknown as JsonSchema;
}
