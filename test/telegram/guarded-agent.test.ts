import type { Agent } from 'undici';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BackendPolicy } from '../../src/config.ts';
import { reasonText } from '../../src/core/reasons/reason.ts';
import { checkBackendUrl, isAllowedAddress } from '../../src/telegram/address-policy.ts';
import { createGuardedAgent, type GuardedAgentOptions } from '../../src/telegram/guarded-agent.ts';
import { createNameResolver } from '../../src/telegram/name-resolver.ts';
import { serve } from '../support/local-server.ts';

const privateOk: BackendPolicy = { mode: 'private-ok', allow: [] };
const publicOnly: BackendPolicy = { mode: 'public', allow: [] };

function problemOf(url: string, policy: BackendPolicy): string | undefined {
  const problem = checkBackendUrl(url, policy);
  return problem && reasonText(problem);
}

describe('which addresses are allowed', () => {
  it.each([
    // address, private-ok, public
    ['93.184.216.34', true, true],
    ['2606:4700::1111', true, true],
    ['127.0.0.1', true, false],
    ['0x7f.1', true, false],
    ['2130706433', true, false],
    ['::1', true, false],
    ['::ffff:127.0.0.1', true, false],
    ['10.0.0.1', true, false],
    ['192.168.1.1', true, false],
    ['100.64.0.1', true, false],
    ['fd12:3456::1', true, false],
    ['64:ff9b::10.0.0.1', true, false],
    ['2002:7f00:1::1', true, false],
    ['169.254.169.254', false, false],
    ['169.254.0.1', false, false],
    ['::ffff:169.254.169.254', false, false],
    ['64:ff9b::a9fe:a9fe', false, false],
    ['2002:a9fe:a9fe::1', false, false],
    ['::ffff:0:169.254.169.254', false, false],
    ['::169.254.169.254', false, false],
    ['::127.0.0.1', true, false],
    ['0xa9.0xfe.0xa9.0xfe', false, false],
    ['fd00:ec2::254', false, false],
    ['100.100.100.200', false, false],
    ['fe80::1', false, false],
    ['fe80::1%eth0', false, false],
    ['224.0.0.1', false, false],
    ['ff02::1', false, false],
    ['0.0.0.0', false, false],
    ['::', false, false],
    ['255.255.255.255', false, false],
    ['not an address', false, false],
  ])('%s', (address, underPrivateOk, underPublic) => {
    expect(isAllowedAddress(address, privateOk)).toBe(underPrivateOk);
    expect(isAllowedAddress(address, publicOnly)).toBe(underPublic);
  });

  it('allows the networks that a policy adds, and no others', () => {
    const policy: BackendPolicy = { mode: 'public', allow: ['10.1.0.0/16', 'fd00::/8'] };
    expect(isAllowedAddress('10.1.2.3', policy)).toBe(true);
    expect(isAllowedAddress('::ffff:10.1.2.3', policy)).toBe(true);
    expect(isAllowedAddress('10.2.0.1', policy)).toBe(false);
    expect(isAllowedAddress('fd00::1', policy)).toBe(true);
  });
});

describe('what may be saved as a backend', () => {
  it.each([
    'http://localhost:3000/hook',
    'https://example.com',
    'http://10.0.0.1/',
    'https://bücher.example/пусть?x=1',
  ])('accepts %s', (url) => {
    expect(problemOf(url, privateOk)).toBeUndefined();
  });

  it.each([
    'ftp://example.com',
    'javascript:alert(1)',
    'example.com',
    '//example.com',
    'http://',
    'http://user:pass@example.com/',
    'http://exa mple.com/',
    'http://example.com/\n',
    'http://169.254.169.254/latest/meta-data',
    'http://0xa9fea9fe/',
    'http://[::ffff:169.254.169.254]/',
    'http://0/',
    `https://example.com/${'x'.repeat(2_048)}`,
  ])('refuses %s', (url) => {
    expect(problemOf(url, privateOk)).toBeTypeOf('string');
  });

  it('refuses private addresses under public', () => {
    expect(problemOf('http://0x7f.1/', publicOnly)).toBeTypeOf('string');
    expect(problemOf('http://[::1]:8080/', publicOnly)).toBeTypeOf('string');
  });
});

describe('guarded connections', () => {
  let port = 0;
  let hosts: (string | undefined)[] = [];
  let agents: Agent[] = [];
  let close: () => Promise<void>;

  beforeEach(async () => {
    hosts = [];
    ({ port, close } = await serve((request, response) => {
      hosts.push(request.headers.host);
      if (request.url === '/away') {
        response.writeHead(302, { location: `http://127.0.0.1:${port}/landed` });
      }
      response.end('reached');
    }));
  });
  afterEach(async () => {
    await Promise.all(agents.splice(0).map((agent) => agent.destroy()));
    agents = [];
    await close();
  });

  async function get(url: string, options: GuardedAgentOptions) {
    const agent = createGuardedAgent(options);
    agents.push(agent);
    const { origin, pathname } = new URL(url);
    const { statusCode, body } = await agent.request({ origin, path: pathname, method: 'GET' });
    return { statusCode, text: await body.text() };
  }

  it('reaches what the policy allows, by address and by name', async () => {
    expect((await get(`http://127.0.0.1:${port}/`, { policy: privateOk })).text).toBe('reached');
    const named = await get(`http://backend.test:${port}/`, {
      policy: privateOk,
      resolve: async () => ['127.0.0.1'],
    });
    expect(named.text).toBe('reached');
    expect(hosts.at(-1)).toBe(`backend.test:${port}`);
  });

  it.each(['127.0.0.1', '[::ffff:127.0.0.1]', '0x7f.1', '2130706433', '127.1'])(
    'never reaches %s under public',
    async (host) => {
      await expect(get(`http://${host}:${port}/`, { policy: publicOnly })).rejects.toMatchObject({
        code: 'ADDRESS_REFUSED',
      });
      expect(hosts).toEqual([]);
    },
  );

  it('refuses a name when any of its addresses is not allowed', async () => {
    const resolve = async () => ['93.184.216.34', '127.0.0.1'];
    await expect(
      get(`http://mixed.test:${port}/`, { policy: publicOnly, resolve }),
    ).rejects.toMatchObject({ code: 'ADDRESS_REFUSED' });
    expect(hosts).toEqual([]);
  });

  it('connects to the address that was checked, not to a later answer', async () => {
    let asked = 0;
    const resolve = async () => (asked++ === 0 ? ['127.0.0.1'] : ['169.254.169.254']);
    const answer = await get(`http://rebinding.test:${port}/`, { policy: privateOk, resolve });
    expect(answer.text).toBe('reached');
    expect(asked).toBe(1);
  });

  it('looks a name up once for many connections', async () => {
    let lookups = 0;
    const resolve = createNameResolver({
      probe: async () => {},
      async lookUp() {
        lookups++;
        return ['127.0.0.1'];
      },
    });
    const options = { policy: privateOk, resolve };
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => get(`http://busy.test:${port}/`, options)),
    );
    expect(answers).toHaveLength(40);
    expect(lookups).toBe(1);
  });

  it('checks every answer, also one that is cached', async () => {
    const resolve = createNameResolver({
      probe: async () => {},
      lookUp: async () => ['127.0.0.1'],
    });
    expect((await get(`http://a.test:${port}/`, { policy: privateOk, resolve })).text).toBe(
      'reached',
    );
    await expect(
      get(`http://a.test:${port}/`, { policy: publicOnly, resolve }),
    ).rejects.toMatchObject({ code: 'ADDRESS_REFUSED' });
  });

  it('reaches this machine by its name', async () => {
    const answer = await get(`http://localhost:${port}/`, { policy: privateOk });
    expect(answer.text).toBe('reached');
  });

  it('tries the next address when the first does not answer', async () => {
    const resolve = async () => ['127.0.0.2', '127.0.0.1'];
    const other = await get(`http://two.test:${port}/`, { policy: privateOk, resolve });
    expect(other.text).toBe('reached');
  });

  it('says so when a name has no address', async () => {
    const resolve = async () => [];
    await expect(get('http://none.test/', { policy: privateOk, resolve })).rejects.toThrow(
      'no address',
    );
  });

  it('does not follow where it is sent', async () => {
    const answer = await get(`http://127.0.0.1:${port}/away`, { policy: privateOk });
    expect(answer.statusCode).toBe(302);
    expect(hosts).toHaveLength(1);
  });
});
