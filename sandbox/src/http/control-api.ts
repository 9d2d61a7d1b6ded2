import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiFailure, ControlError } from '../api-error.ts';
import { controlActions, runAction } from '../actions/control.ts';
import type { SandboxControls } from '../controls.ts';
import { readBody } from './body.ts';

const limitBytes = 64 * 1024 * 1024;

function answer(res: ServerResponse, status: number, body: unknown): void {
  if (res.destroyed || res.headersSent) return;
  res.writeHead(status, { 'content-type': 'application/json' });
  res.end(JSON.stringify(body));
}

/**
 * Checks that the request is not from another site. The control API has no key, so anything that
 * changes the world needs a JSON request, which browsers do not send across sites on their own.
 */
function checkRequest(req: IncomingMessage, action: string): void {
  if (!Object.hasOwn(controlActions, action)) {
    throw new ControlError('no_such_action', { action });
  }
  if (req.method === 'GET' && controlActions[action]?.reads) return;
  if (req.method !== 'POST') throw new ControlError('post_needed');
  if (!/^application\/json\b/iu.test(req.headers['content-type'] ?? '')) {
    throw new ControlError('json_needed');
  }
}

/** Serves a file that a user's phone shows; it never runs as a page of this address. */
function serveFile(sandbox: SandboxControls, res: ServerResponse, key: string): void {
  const file = sandbox.fileOf(key);
  if (!file) throw new ControlError('no_file');
  res.writeHead(200, {
    'content-type': file.mimeType.startsWith('image/') ? file.mimeType : 'application/octet-stream',
    'content-security-policy': 'sandbox',
    'x-content-type-options': 'nosniff',
  });
  res.end(file.bytes);
}

/** `POST /sandbox/<action>` with a JSON body; reading actions also by GET with a query. */
export async function handleControl(
  sandbox: SandboxControls,
  req: IncomingMessage,
  res: ServerResponse,
  action: string,
  query: string,
): Promise<void> {
  try {
    if (req.method === 'GET' && action.startsWith('file/')) {
      serveFile(sandbox, res, action.slice(5));
      return;
    }
    if (req.method === 'GET' && action === '') {
      const actions = Object.entries(controlActions).map(([name, { fields }]) => [
        name,
        Object.keys(fields).join(' '),
      ]);
      answer(res, 200, { actions: Object.fromEntries(actions) as object });
      return;
    }
    checkRequest(req, action);
    const bytes = await readBody(req, limitBytes);
    if (bytes === undefined) throw new ControlError('request_too_large');
    const body = bytes.length > 0 ? (JSON.parse(bytes.toString('utf8')) as unknown) : {};
    if (body === null || typeof body !== 'object' || Array.isArray(body)) {
      throw new ControlError('body_not_object');
    }
    const input = { ...Object.fromEntries(new URLSearchParams(query)), ...body };
    answer(res, 200, (await runAction(sandbox, action, input)) ?? { ok: true });
  } catch (error) {
    const failure = error instanceof SyntaxError ? new ControlError('body_not_json') : error;
    if (failure instanceof ControlError) {
      const { status, message, code, params } = failure;
      answer(res, status, { error: message, code, params });
    } else if (failure instanceof ApiFailure) answer(res, 400, { error: failure.message });
    else answer(res, 500, { error: 'The sandbox failed.' });
  }
}
