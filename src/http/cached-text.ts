import type { FastifyReply } from 'fastify';

/**
 * Writes out lists that are asked for again and again. A service that hands out the very same list
 * says that nothing has changed, and then the text of last time will do.
 */
export function createCachedText() {
  const texts = new WeakMap<object, Buffer>();
  return {
    /** To be returned by a handler: the text in the place of the list it stands for. */
    of<T>(reply: FastifyReply, list: readonly T[]): T[] {
      let text = texts.get(list);
      if (text === undefined) {
        // As bytes: a text would be encoded again for every answer.
        text = Buffer.from(reply.serialize(list) as string);
        texts.set(list, text);
      }
      reply.header('content-type', 'application/json; charset=utf-8');
      return text as unknown as T[];
    },
  };
}
