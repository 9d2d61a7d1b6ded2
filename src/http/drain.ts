import type { IncomingMessage } from 'node:http';

const maxBytes = 32 * 1_048_576;
const maxMs = 5_000;

/**
 * Reads the rest of an unwanted body before answering. Closing a connection while the client is still
 * writing resets it, and many clients then report the reset instead of our error.
 */
export function drain(message: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let bytes = 0;
    const finish = () => {
      clearTimeout(timer);
      message.off('data', onData).off('end', finish).off('close', finish).off('error', finish);
      resolve();
    };
    const onData = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxBytes) finish();
    };
    const timer = setTimeout(finish, maxMs);
    message.on('data', onData).on('end', finish).on('close', finish).on('error', finish);
    message.resume();
  });
}

export function hasUnreadBody(message: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = message.headers;
  if (encoding === undefined && (length === undefined || length === '0')) return false;
  return !message.readableEnded && !message.destroyed;
}
