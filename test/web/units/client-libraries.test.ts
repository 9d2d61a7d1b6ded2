import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Bot as GramioBot } from 'gramio';
import { Bot as GrammyBot } from 'grammy';
import { Bot as NodeTelegramBot } from 'node-telegram-bot-api';
import { Telegraf } from 'telegraf';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientLibraries } from '../../../web/src/pages/bots/apps/client-libraries.ts';

const token = '990000000001:AAExampleExampleExampleExampleExample';

/** Runs the exact line that the page shows, and calls getMe. */
const askers: Record<string, (line: string) => Promise<unknown>> = {
  grammY: (line) => (build(line, { Bot: GrammyBot }) as GrammyBot).api.getMe(),
  Telegraf: (line) => (build(line, { Telegraf }) as Telegraf).telegram.getMe(),
  'node-telegram-bot-api 2': (line) =>
    (build(line, { Bot: NodeTelegramBot }) as NodeTelegramBot).api.getMe(),
  GramIO: (line) => (build(line, { Bot: GramioBot }) as GramioBot).api.getMe(),
};

function build(line: string, names: Record<string, unknown>): unknown {
  // oxlint-disable-next-line no-implied-eval -- the line is ours, and running it is the point
  return new Function(...Object.keys(names), `return ${line}`)(...Object.values(names)) as unknown;
}

describe('the lines for client libraries', () => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const result = { id: 990_000_000_001, is_bot: true, first_name: 'Keeper', username: 'keeper' };
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ ok: true, result }));
  });
  let root = '';
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    root = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  it.each(Object.keys(askers))('%s reaches the relay with it', async (name) => {
    const library = clientLibraries.find((one) => one.name === name);
    asked.length = 0;
    await askers[name]?.(library?.code(root, token) ?? '');
    expect(asked).toEqual([`/bot${token}/getMe`]);
  });

  it('names both addresses where a library has two', () => {
    const lineOf = (name: string) =>
      clientLibraries.find((one) => one.name === name)?.code(root, token);
    expect(lineOf('python-telegram-bot')).toContain(`.base_url('${root}/bot')`);
    expect(lineOf('python-telegram-bot')).toContain(`.base_file_url('${root}/file/bot')`);
    expect(lineOf('pyTelegramBotAPI')).toContain(`API_URL = '${root}/bot{0}/{1}'`);
    expect(lineOf('pyTelegramBotAPI')).toContain(`FILE_URL = '${root}/file/bot{0}/{1}'`);
  });
});
