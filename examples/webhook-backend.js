// A backend in plain Node: the relay posts updates to it, and its answer is a method call.
//
//   SECRET=a-secret PORT=3000 node examples/webhook-backend.js
//
// Then give a bot at the relay backend_url http://127.0.0.1:3000/, proxy_enabled true and the same
// secret_token. The same program works as a webhook of the sandbox, or of Telegram behind https.
import { createServer } from 'node:http';
import { timingSafeEqual } from 'node:crypto';

const { SECRET = '', PORT = '3000' } = process.env;

/** A Bot API call, or nothing; returned as the body of the answer. */
function answerTo(update) {
  const message = update.message;
  if (!message?.text) return undefined;
  return {
    method: 'sendMessage',
    chat_id: message.chat.id,
    text: message.text.toUpperCase(),
    reply_parameters: { message_id: message.message_id },
  };
}

function isOurs(request) {
  const shown = Buffer.from(request.headers['x-telegram-bot-api-secret-token'] ?? '');
  const secret = Buffer.from(SECRET);
  return shown.length === secret.length && timingSafeEqual(shown, secret);
}

const server = createServer(async (request, response) => {
  if (request.method !== 'POST') return response.writeHead(405).end();
  if (!isOurs(request)) return response.writeHead(401).end();
  let body = '';
  for await (const chunk of request) body += chunk;
  let call;
  try {
    // Updates may arrive twice after a failure: compare update_id.
    call = answerTo(JSON.parse(body));
  } catch {
    return response.writeHead(400).end();
  }
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(call ? JSON.stringify(call) : '');
});

server.once('error', (error) => {
  console.error(`cannot listen on port ${PORT}: ${error.code}`);
  process.exitCode = 1;
});
server.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}/`);
});
process.once('SIGTERM', () => server.close());
