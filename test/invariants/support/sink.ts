import type { IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { serve } from '../../support/local-server.ts';
import type { Update } from './held-platform.ts';

export interface Arrival {
  /** The path of the backend's URL: tells the bots apart. */
  path: string;
  updateId: number;
  chatId: number;
  text: string;
}

/** A backend that records its requests, in order. */
export interface Sink {
  url: string;
  arrivals: Arrival[];
  /** The answer to each; 200 at once by default. */
  respond: (arrival: Arrival, response: ServerResponse) => void;
  /** Resolves at that many arrivals since the beginning. */
  reached(count: number): Promise<void>;
  /** Resolves once all connections are closed: what a killed process sent has arrived. */
  quiet(): Promise<void>;
  close(): Promise<void>;
}

export async function startSink(): Promise<Sink> {
  const waiting: { count: number; resolve: () => void }[] = [];
  const { url, server, close } = await serve((request, response) => {
    void take(request, response).catch(() => {});
  });
  server.keepAliveTimeout = 60_000;

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const update = (await json(request)) as Update;
    const arrival: Arrival = {
      path: request.url ?? '',
      updateId: update.update_id,
      chatId: update.message.chat.id,
      text: update.message.text,
    };
    sink.arrivals.push(arrival);
    for (const waiter of waiting) {
      if (sink.arrivals.length >= waiter.count) waiter.resolve();
    }
    sink.respond(arrival, response);
  }

  const sink: Sink = {
    url,
    close,
    arrivals: [],
    respond: (_arrival, response) => void response.writeHead(200).end(),
    reached(count) {
      if (sink.arrivals.length >= count) return Promise.resolve();
      return new Promise((resolve) => void waiting.push({ count, resolve }));
    },
    async quiet() {
      const connections = promisify(server.getConnections.bind(server));
      while ((await connections()) > 0) await pause(5);
    },
  };
  return sink;
}
