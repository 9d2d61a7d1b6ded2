import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Random } from '../../sandbox/src/index.ts';

/** The backends of the demo's bots. */
export interface Backends {
  /** Answers with a method call: a greeting with buttons. */
  echoUrl: string;
  /** Books payments; fails now and then, and always on documents. */
  ledgerUrl: string;
  /** An address where nothing listens. */
  deadUrl: string;
  /** Makes the ledger fail at times from then on. */
  letFail(): void;
  /** Lets the echo backend call methods. */
  onCallback(act: (call: Record<string, unknown>) => Promise<void>): void;
  close(): Promise<void>;
}

interface Update {
  message?: {
    chat: { id: number; type: string };
    from?: { first_name: string };
    text?: string;
    document?: object;
  };
  callback_query?: {
    id: string;
    data?: string;
    message?: { chat: { id: number }; message_id: number };
  };
}

type Asked = NonNullable<Update['message']> & { text: string };

const failsOneIn = 4;

export async function startBackends(random: Random): Promise<Backends> {
  let call: (call: Record<string, unknown>) => Promise<void> = async () => {};
  let canFail = false;
  const server = createServer((request, response) => {
    void readJson(request).then((update) => {
      const { status, body } =
        request.url === '/ledger' ? ledger(update, random, canFail) : echo(update, call);
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(body === undefined ? '' : JSON.stringify(body));
    });
  });
  const port = await listen(server);
  const dead = createServer();
  const deadPort = await listen(dead);
  await closed(dead);
  return {
    echoUrl: `http://127.0.0.1:${port}/echo`,
    ledgerUrl: `http://127.0.0.1:${port}/ledger`,
    deadUrl: `http://127.0.0.1:${deadPort}/updates`,
    letFail() {
      canFail = true;
    },
    onCallback(act) {
      call = act;
    },
    close: () => closed(server),
  };
}

interface Answer {
  status: number;
  body?: object;
}

function echo(update: Update, call: (call: Record<string, unknown>) => Promise<void>): Answer {
  const { message, callback_query: pressed } = update;
  if (pressed?.message) {
    // The press is answered by a separate call; the answer to this request changes the message.
    void call({
      method: 'answerCallbackQuery',
      callback_query_id: pressed.id,
      text: 'Noted.',
    });
    const { chat, message_id } = pressed.message;
    const text = pressed.data === 'ok' ? '✅ Glad that we could help.' : '🙋 A person will answer.';
    return { status: 200, body: { method: 'editMessageText', chat_id: chat.id, message_id, text } };
  }
  if (!isAsked(message)) return { status: 200 };
  const name = message.from?.first_name ?? 'you';
  return {
    status: 200,
    body: {
      method: 'sendMessage',
      chat_id: message.chat.id,
      text: `Thank you, ${name}. We read: “${message.text}”`,
      reply_markup: {
        inline_keyboard: [
          [
            { text: '👍 Solved', callback_data: 'ok' },
            { text: '🙋 Talk to a person', callback_data: 'person' },
          ],
        ],
      },
    },
  };
}

function isAsked(message: Update['message']): message is Asked {
  return message?.chat.type === 'private' && message.text !== undefined;
}

function ledger({ message }: Update, random: Random, canFail: boolean): Answer {
  if (message?.document) return { status: 500, body: { error: 'cannot read attachments' } };
  if (canFail && random.integer(1, failsOneIn) === 1) {
    return { status: 500, body: { error: 'the ledger is locked' } };
  }
  const amount = isAsked(message) ? /\d+\.\d\d/.exec(message.text)?.[0] : undefined;
  if (!message || amount === undefined) return { status: 200 };
  const text = `Booked: ${amount}. Thank you!`;
  return { status: 200, body: { method: 'sendMessage', chat_id: message.chat.id, text } };
}

async function readJson(request: IncomingMessage): Promise<Update> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text === '' ? {} : (JSON.parse(text) as Update);
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
