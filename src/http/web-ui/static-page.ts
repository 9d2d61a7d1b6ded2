import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { notBuiltPage } from './not-built-page.ts';

const gzipAsync = promisify(gzip);
const brotliAsync = promisify(brotliCompress);

const pack = {
  // The highest quality would take seconds for a percent or two.
  br: (bytes: Buffer) => brotliAsync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (bytes: Buffer) => gzipAsync(bytes, { level: 9 }),
};

export interface PageFile {
  bytes: Buffer;
  type: string;
  etag: string;
  /** True if the name contains a hash of the content, so that the file never changes. */
  immutable: boolean;
  /** Compressed content by encoding, made on first request. */
  packed: Partial<Record<'br' | 'gzip', Promise<Buffer>>>;
}

/** The built web UI: returns the file of an address, or undefined if there is none. */
export type StaticPage = (address: string) => PageFile | undefined;

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
};

/** Compressed content by tag. Services of one process share it: tests start dozens. */
const packedByTag = new Map<string, PageFile['packed']>();

const indexAddress = '/index.html';
const compressible = /text|json|svg|javascript/;

// Styles may be set by scripts (component libraries do); scripts come only from our own files.
export const pageHeaders: Record<string, string> = {
  'content-security-policy':
    "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; media-src 'self' blob:; font-src 'self' data:; connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
};

/**
 * Finds the files of the web UI, so that no other can be requested. Each is read when it is first
 * requested and then kept: a service whose page nobody opens takes 2 MB less. The index says how to
 * type the command on this machine.
 */
export function loadStaticPage(folder: string, commandName: string): StaticPage {
  const names = new Map(
    listFiles(folder).map((name) => [`/${name.split(path.sep).join('/')}`, name]),
  );
  const files = new Map<string, PageFile>();
  const html = names.has(indexAddress)
    ? readFileSync(path.join(folder, 'index.html'), 'utf8')
    : notBuiltPage;
  const command = commandName.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  const index = html.replace('<html', () => `<html data-command="${command}"`);
  files.set(indexAddress, pageFile(index, indexAddress));
  return (address) => {
    const known = files.get(address);
    const name = names.get(address);
    if (known || name === undefined) return known;
    const file = pageFile(readFileSync(path.join(folder, name)), address);
    files.set(address, file);
    return file;
  };
}

function listFiles(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)));
  } catch {
    // The web UI was not built: a page that says so is served instead.
    return [];
  }
}

/** The content type comes from the extension. */
export function pageFile(content: Buffer | string, address: string): PageFile {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
  const packed = packedByTag.get(etag) ?? {};
  packedByTag.set(etag, packed);
  return {
    bytes,
    packed,
    type: types[path.extname(address)] ?? 'application/octet-stream',
    etag,
    immutable: /^\/assets\/.+-[\w-]{8,}\.\w+$/.test(address),
  };
}

/** Sends the file of this path, or the web UI for a path that it routes; otherwise returns false. */
export async function sendPage(
  page: StaticPage,
  address: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<boolean> {
  const file = page(isRoute(address) ? indexAddress : address);
  if (!file) return false;
  await sendFile(file, request, reply.headers(pageHeaders));
  return true;
}

/** Sends the file, or 304 if the caller has it. */
export async function sendFile(
  file: PageFile,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  reply.headers({
    'content-type': file.type,
    etag: file.etag,
    'cache-control': file.immutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    vary: 'accept-encoding',
  });
  // A compressing proxy marks the tag as weak; a list of tags is allowed.
  if (request.headers['if-none-match']?.includes(file.etag)) {
    reply.code(304).send();
    return;
  }
  const encoding = encodingOf(file, request.headers['accept-encoding'] ?? '');
  if (encoding === undefined) {
    reply.code(200).send(file.bytes);
    return;
  }
  file.packed[encoding] ??= pack[encoding](file.bytes);
  const packed = await file.packed[encoding];
  reply.code(200).header('content-encoding', encoding).send(packed);
}

function encodingOf({ bytes, type }: PageFile, accepted: string): 'br' | 'gzip' | undefined {
  if (bytes.length <= 1_024 || !compressible.test(type)) return undefined;
  const names = new Set(
    accepted
      .split(',')
      .map((one) => one.trim().toLowerCase())
      .filter((one) => !/;\s*q=0(\.0*)?$/.test(one))
      .map((one) => one.split(';', 1)[0]?.trim()),
  );
  return (['br', 'gzip'] as const).find((one) => names.has(one));
}

/** A path with an extension is a missing file; any other is a page of the web UI. */
function isRoute(address: string): boolean {
  return path.extname(address) === '';
}
