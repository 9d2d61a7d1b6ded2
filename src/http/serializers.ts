/*
 * Builds response serializers. Each is built for its first response: building all of them takes a
 * third of the start time, and most are never used.
 */
import { createRequire } from 'node:module';

type Serializer = (value: unknown) => string;

export function buildSerializer(): (route: { schema?: unknown }) => Serializer {
  return ({ schema }) => {
    let serialize: Serializer | undefined;
    return (value) => {
      serialize ??= createRequire(import.meta.url)('fast-json-stringify')(schema) as Serializer;
      return serialize(value);
    };
  };
}

/** Endpoints check requests themselves, so Fastify must get no schema for them. */
export function refuseSchemas(): never {
  throw new Error('requests are checked by their endpoint, not by Fastify');
}
