import type { IncomingMessage, ServerResponse } from 'node:http';
import { firstStep } from '../first-step.ts';
import type { SandboxControls } from '../controls.ts';

/** Serves a page for a person who opens the address, in a browser or with curl. */
export function handleFrontPage(
  sandbox: SandboxControls,
  req: IncomingMessage,
  res: ServerResponse,
): boolean {
  const reads = req.method === 'GET' || req.method === 'HEAD';
  const { accept = '*/*' } = req.headers;
  const asHtml = /\btext\/html\b/iu.test(accept);
  // curl accepts anything; a client that asks for JSON gets Telegram's response.
  if (req.url !== '/' || !reads || !(asHtml || /\*\/\*|\btext\//u.test(accept))) return false;
  const host = /^[\w.:[\]-]+$/u.exec(req.headers.host ?? '')?.[0] ?? '127.0.0.1';
  res.writeHead(200, {
    'content-type': `text/${asHtml ? 'html' : 'plain'}; charset=utf-8`,
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
    'cache-control': 'no-store',
  });
  const written = (asHtml ? pageAt : textAt)(`http://${host}`, sandbox);
  res.end(req.method === 'HEAD' ? '' : written);
  return true;
}

function textAt(url: string, sandbox: SandboxControls): string {
  const { title, command } = firstStep(sandbox, url);
  return `The sandbox of Bot Relay: a local Bot API server with made-up people.

For your bot library, as its API root:
  ${url}
Users, chats and bots with their tokens:
  curl ${url}/sandbox/snapshot
Every action and its fields:
  curl ${url}/sandbox
${title}
  ${command}
`;
}

function pageAt(url: string, sandbox: SandboxControls): string {
  const { title, command } = firstStep(sandbox, url);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>The sandbox of Bot Relay</title>
<style>
:root { color-scheme: light dark }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 44rem; margin: 2rem auto; padding: 0 1rem }
pre { overflow-x: auto; padding: .75rem; border: 1px solid color-mix(in srgb, currentColor 25%, transparent) }
</style>
<h1>The sandbox of Bot Relay</h1>
<p>A local Bot API server with made-up people, for bots under development. For phones to click on, run
<code>bot-relay start</code> and open Sandbox.</p>
<p>Your bot library takes this address as its API root:</p>
<pre>curl ${url}/bot$TOKEN/getMe</pre>
<p>${escaped(title)}</p>
<pre>${escaped(command)}</pre>
<ul>
<li><a href="/sandbox/snapshot">/sandbox/snapshot</a>: who and what is here, tokens included</li>
<li><a href="/sandbox">/sandbox</a>: every action and its fields</li>
</ul>
</html>
`;
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

function escaped(text: string): string {
  return text.replaceAll(/[&<>]/gu, (character) => entities[character] ?? '');
}
