import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { notBuiltPage } from './not-built-page.ts';

const gzipAsync = promisify(gzip);

interface PageFile {
  bytes: Buffer;
  type: string;
  etag: string;
  /** Its name carries a hash of its content, so it never changes. */
  immutable: boolean;
  zipped?: Promise<Buffer>;
}

/** The built web page, held in memory: it is small, and nothing outside it can be asked for. */
export interface StaticPage {
  files: Map<string, PageFile>;
  index: PageFile;
}

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

const compressible = /text|json|svg|javascript/;

// Styles may be set by script (component libraries do), scripts come only from our own files.
export const pageHeaders: Record<string, string> = {
  'content-security-policy':
    "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; media-src 'self' blob:; font-src 'self' data:; connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
};

export function loadStaticPage(folder: string): StaticPage {
  const files = new Map<string, PageFile>();
  for (const name of listFiles(folder)) {
    const address = `/${name.split(path.sep).join('/')}`;
    files.set(address, pageFile(readFileSync(path.join(folder, name)), address));
  }
  const index = files.get('/index.html') ?? pageFile(Buffer.from(notBuiltPage), '/index.html');
  return { files, index };
}

function listFiles(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)));
  } catch {
    // Not built: the page that says so is served instead.
    return [];
  }
}

function pageFile(bytes: Buffer, address: string): PageFile {
  return {
    bytes,
    type: types[path.extname(address)] ?? 'application/octet-stream',
    etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
    immutable: /^\/assets\/.+-[\w-]{8,}\.\w+$/.test(address),
  };
}

/** Sends the file of this address, or the page itself for an address the page routes; else false. */
export async function sendPage(
  page: StaticPage,
  address: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<boolean> {
  const file = page.files.get(address) ?? (isRoute(address) ? page.index : undefined);
  if (!file) return false;
  reply.headers(pageHeaders).headers({
    'content-type': file.type,
    etag: file.etag,
    'cache-control': file.immutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    vary: 'accept-encoding',
  });
  if (request.headers['if-none-match'] === file.etag) {
    reply.code(304).send();
    return true;
  }
  const zips = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
  if (zips && file.bytes.length > 1_024 && compressible.test(file.type)) {
    file.zipped ??= gzipAsync(file.bytes, { level: 9 });
    reply
      .code(200)
      .header('content-encoding', 'gzip')
      .send(await file.zipped);
    return true;
  }
  reply.code(200).send(file.bytes);
  return true;
}

/** A missing file stays missing; anything without an extension is a place within the page. */
function isRoute(address: string): boolean {
  return path.extname(address) === '' || address === '/index.html';
}
