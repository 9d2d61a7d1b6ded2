import type { FastifyReply } from 'fastify';

/**
 * Caches the JSON of lists that are requested often. When a service returns the same list object,
 * nothing has changed, and the cached text is sent.
 */
export function createCachedText() {
  const texts = new WeakMap<object, Buffer>();
  return {
    /** Returns the cached text for a handler, typed as the list. */
    of<T>(reply: FastifyReply, list: readonly T[]): T[] {
      let text = texts.get(list);
      if (text === undefined) {
        // Cached as bytes, because a string would be encoded for every response.
        text = Buffer.from(reply.serialize(list) as string);
        texts.set(list, text);
      }
      reply.header('content-type', 'application/json; charset=utf-8');
      return text as unknown as T[];
    },
  };
}
