import { request as httpRequest } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serve } from '../support/local-server.ts';
import { serviceForAllTests } from '../support/whole-service.ts';
import { callTool, connectedByStdio, eras } from './support.ts';

describe('bot-relay mcp', () => {
  const relay = serviceForAllTests('sqlite');

  it.each(eras)('speaks for the service to a %s client, and asks its person', async (era) => {
    const { key } = await relay.call<{ key: string }>('/api/auth/api-keys', {
      name: 'agent',
      scope: 'manage',
    });
    const bot = await relay.addBot({ name: `for ${era}` });
    const other = await relay.addBot();
    const { id } = await relay.addRoute(bot, other);
    const asked: string[] = [];
    const client = await connectedByStdio(
      relay.service().address,
      key,
      era,
      (message) => asked.push(message) > 0,
    );
    const bots = await callTool<{ name: string }[]>(client, 'bots', { action: 'list' });
    expect(bots.json.result.map(({ name }) => name)).toContain(`for ${era}`);
    const removed = await callTool(client, 'routes', { action: 'delete', id });
    expect(removed.isError, JSON.stringify(removed)).toBe(false);
    expect(asked).toHaveLength(1);
    const log = JSON.stringify(await relay.call('/api/adminlog'));
    expect(log).toContain('agent (MCP: Story teller)');
  });

  it('says so if the service is gone, or something else answers', async () => {
    const { key } = await relay.call<{ key: string }>('/api/auth/api-keys', {
      name: 'agent',
      scope: 'read',
    });
    const { hostname, port } = new URL(relay.service().address);
    let isProxyAlone = false;
    const proxy = await serve((request, response) => {
      if (isProxyAlone) return response.writeHead(502).end('<html>Bad gateway</html>');
      const { headers, method, url } = request;
      const passed = httpRequest({ hostname, port, path: url, method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      return request.pipe(passed);
    });
    onTestFinished(proxy.close);
    const client = await connectedByStdio(proxy.url, key);
    const list = () => client.callTool({ name: 'bots', arguments: { action: 'list' } });
    expect(await list()).toMatchObject({ isError: false });
    isProxyAlone = true;
    await expect(list()).rejects.toThrow('The service answered 502.');
    await proxy.close();
    await expect(list()).rejects.toThrow(`Cannot reach the service at ${proxy.url}.`);
  });
});
