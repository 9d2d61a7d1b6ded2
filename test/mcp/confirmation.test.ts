import { describe, expect, it } from 'vitest';
import { createJumpingClock } from '../support/rigs/jumping-clock.ts';
import { serviceForEachTest } from '../support/whole-service.ts';

interface Result {
  resultType?: string;
  requestState?: string;
  isError?: boolean;
}

describe('the confirmation of a person over MCP', () => {
  const clock = createJumpingClock();
  const relay = serviceForEachTest('sqlite', {}, { clock });
  const yes = { action: 'accept', content: { confirm: true } };
  const newKey = async (name: string) =>
    (await relay.call<{ key: string }>('/api/auth/api-keys', { name, scope: 'manage' })).key;

  async function remove(key: string, id: number, round: object = {}) {
    const answer = await fetch(`${relay.service().address}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'routes',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          name: 'routes',
          arguments: { action: 'delete', id },
          ...round,
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
            'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
          },
        },
      }),
    });
    return (await answer.json()) as { result?: Result; error?: { message: string } };
  }
  const routes = async () =>
    (await relay.call<{ id: number }[]>('/api/routes')).map(({ id }) => id);

  it('counts for that key and that call only, unchanged, for ten minutes', async () => {
    const [bot, other] = [await relay.addBot(), await relay.addBot()];
    const first = (await relay.addRoute(bot, other)).id;
    const second = (await relay.addRoute(other, bot)).id;
    const [key, otherKey] = [await newKey('agent'), await newKey('other')];
    const asks = { result: { resultType: 'input_required' } };
    const asked = await remove(key, first);
    expect(asked).toMatchObject(asks);
    const requestState = asked.result?.requestState ?? '';
    const confirmed = { requestState, inputResponses: { confirm: yes } };

    // It says neither what nor who, so a client cannot change that.
    expect(Buffer.from(requestState, 'base64url').toString('latin1')).not.toContain('until');
    expect(await remove(key, second, confirmed)).toMatchObject(asks);
    expect(await remove(otherKey, first, confirmed)).toMatchObject(asks);
    expect(await remove(key, first, { inputResponses: { confirm: yes } })).toMatchObject(asks);
    const forged = `${requestState.slice(0, -2)}${requestState.endsWith('AA') ? 'BB' : 'AA'}`;
    const wrong = { error: { message: expect.stringContaining('requestState') } };
    expect(await remove(key, first, { ...confirmed, requestState: forged })).toMatchObject(wrong);
    for (const answer of [
      { action: 'decline' },
      { action: 'accept', content: { confirm: false } },
      { action: 'accept', content: { confirm: 'true' } },
    ]) {
      const declined = await remove(key, first, {
        requestState,
        inputResponses: { confirm: answer },
      });
      expect(declined.result?.isError, JSON.stringify(answer)).toBe(true);
    }
    expect(await routes()).toEqual([first, second]);

    clock.jump(11 * 60_000);
    expect(await remove(key, first, confirmed)).toMatchObject(wrong);
    expect(await routes()).toEqual([first, second]);
    const again = (await remove(key, first)).result?.requestState ?? '';
    const done = await remove(key, first, { ...confirmed, requestState: again });
    expect(done.result?.isError).toBe(false);
    expect(await routes()).toEqual([second]);
  });
});
