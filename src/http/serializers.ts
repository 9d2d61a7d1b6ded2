/*
 * How responses become JSON. Each serializer is made for its first response: making all of them takes a
 * third of the time to start, and most are never used between two starts.
 */
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

type Serializer = (value: unknown) => string;

export function buildSerializer(): (route: { schema?: unknown }) => Serializer {
  return ({ schema }) => {
    let serialize: Serializer | undefined;
    return (value) => {
      serialize ??= require('fast-json-stringify')(schema) as Serializer;
      return serialize(value);
    };
  };
}

/** Requests are checked by the endpoint: a schema given to Fastify would be checked by nothing. */
export function refuseSchemas(): never {
  throw new Error('requests are checked by their endpoint, not by Fastify');
}
