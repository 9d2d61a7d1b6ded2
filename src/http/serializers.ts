/*
 * Builds response serializers. Each is built for its first response: building all of them takes a
 * third of the start time, and most are never used. Services in the same process share them, because
 * building one takes longer than many responses.
 */
import { createRequire } from 'node:module';

type Serializer = (value: unknown) => string;

const built = new WeakMap<object, Serializer>();

export function buildSerializer(): (route: { schema?: unknown }) => Serializer {
  return ({ schema }) => {
    let serialize: Serializer | undefined;
    return (value) => {
      serialize ??= serializerOf(schema as object);
      return serialize(value);
    };
  };
}

function serializerOf(schema: object): Serializer {
  const known = built.get(schema);
  if (known) return known;
  const serialize = createRequire(import.meta.url)('fast-json-stringify')(schema) as Serializer;
  built.set(schema, serialize);
  return serialize;
}

/** Endpoints check requests themselves, so Fastify must get no schema for them. */
export function refuseSchemas(): never {
  throw new Error('requests are checked by their endpoint, not by Fastify');
}
