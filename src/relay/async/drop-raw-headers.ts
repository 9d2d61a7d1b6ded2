import type { Dispatcher } from 'undici';

/**
 * Empties the list in which undici kept the headers of an answer, once they are read. It made the list
 * when the answer before that ended, which may be long ago; and what an old list points to stays until
 * the next full collection, here each header and the whole of what was read with it.
 */
export function dropRawHeaders(controller: Dispatcher.DispatchController): void {
  if (Array.isArray(controller.rawHeaders)) controller.rawHeaders.length = 0;
  controller.rawHeaders = null;
}
