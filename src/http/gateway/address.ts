import { isBotToken } from '../../core/bots/bot-token.ts';
import { limits } from '../../core/limits.ts';

/** The kind of request that a path of the gateway stands for. */
export type Address =
  | { kind: 'method'; token: string; method: string; test: boolean }
  /** `path` is still percent-encoded, as received. */
  | { kind: 'file'; token: string; path: string }
  | { kind: 'bad token' }
  | { kind: 'nothing' };

/** Some tools add an API root that ends with a slash: repeated slashes count as one. */
export function withoutRepeatedSlashes(url: string): string {
  return url.replace(
    /^\/+(?:(?:tgapi|sandbox)\/+)?(?:p\/+[^/?]+\/+)?(?:file\/+)?(?=bot)/,
    (start) => start.replace(/\/+/g, '/'),
  );
}

/** An address at which the gateway answers. */
export interface GatewayPath {
  kind: 'method' | 'file';
  /** The app in the path, as received; '' for none. */
  app: string;
  /** The path after `/bot`. */
  rest: string;
}

export function gatewayPathOf(path: string): GatewayPath | undefined {
  const found = /^(?:\/tgapi)?(?:\/p\/([^/]+))?\/(file\/)?bot(.*)$/s.exec(path);
  if (!found) return undefined;
  const [, app = '', file, rest = ''] = found;
  return { kind: file ? 'file' : 'method', app, rest };
}

/** The part of a path before the bot's token; undefined without a token. */
export function prefixOfToken(path: string): string | undefined {
  const segments = path.split('/');
  const index = segments.findIndex((segment) =>
    /^(?:bot[^:%]*(?::|%3a)|\d+(?::|%3a)[\w-]{30,}$)/i.test(segment),
  );
  return index < 0 ? undefined : segments.slice(0, index).join('/');
}

/** `rest` is the path after `/bot`, without the query. */
export function readMethodAddress(rest: string): Address {
  const [tokenText = '', ...segments] = rest.split('/');
  const test = segments.length === 2 && segments[0] === 'test';
  const method = test ? segments[1] : segments[0];
  if (segments.length > (test ? 2 : 1) || method === undefined || !/^\w{1,64}$/.test(method)) {
    return { kind: 'nothing' };
  }
  const token = tokenOf(tokenText);
  return token === undefined ? { kind: 'bad token' } : { kind: 'method', token, method, test };
}

/** `rest` is the path after `/file/bot`, without the query. */
export function readFileAddress(rest: string): Address {
  const slash = rest.indexOf('/');
  const path = slash < 0 ? '' : rest.slice(slash + 1);
  // A path must not leave the bot's own folder, neither plain nor escaped.
  if (path === '' || path.split('/').some(climbs)) return { kind: 'nothing' };
  const token = tokenOf(rest.slice(0, slash));
  return token === undefined ? { kind: 'bad token' } : { kind: 'file', token, path };
}

function tokenOf(text: string): string | undefined {
  const token = decoded(text);
  return token !== undefined && token.length <= limits.tokenLength && isBotToken(token)
    ? token
    : undefined;
}

function climbs(segment: string): boolean {
  const plain = decoded(segment);
  return plain === undefined || plain === '.' || plain === '..' || /[/\\]/.test(plain);
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
