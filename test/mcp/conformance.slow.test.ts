/* Runs the scenarios of the protocol's own conformance suite for servers. */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { serve } from '../support/local-server.ts';
import { temporaryFolder } from '../support/relay-process.ts';
import { serviceForAllTests } from '../support/whole-service.ts';

const suite = path.resolve(
  import.meta.dirname,
  '../../node_modules/@modelcontextprotocol/conformance/dist/index.js',
);

/** Why checks of a scenario fail: the message of each must say it. */
const reasons = {
  /** The suite calls tools, prompts and resources that only a server made for it has. */
  fixture:
    /Unknown (?:tool (?:test_|greet|slow_compute|failing_job)|prompt|resource)|'json_schema_2020_12_tool' not found|does not list the diagnostic tool/,
  /** The follow-up of a call to such a tool. */
  fixtureBefore: /Prerequisite failed|Expected InputRequiredResult/,
  /** Completion, logging and subscriptions are not declared, so their methods do not exist. */
  capability: /Method not found/,
  /** No input of a tool comes from a header, which is optional. */
  headers: /no tool with x-mcp-header annotations/,
} as const;

/** All scenarios in which a check fails; the checks of all others pass. */
const expected: Record<string, keyof typeof reasons> = {
  'completion-complete': 'capability',
  'elicitation-sep1034-defaults': 'fixture',
  'elicitation-sep1330-enums': 'fixture',
  'http-custom-header-server-validation': 'headers',
  'input-required-result-basic-elicitation': 'fixture',
  'input-required-result-basic-list-roots': 'fixture',
  'input-required-result-basic-sampling': 'fixture',
  'input-required-result-capability-check': 'fixture',
  'input-required-result-multi-round': 'fixtureBefore',
  'input-required-result-multiple-input-requests': 'fixture',
  'input-required-result-non-tool-request': 'fixture',
  'input-required-result-request-state': 'fixture',
  'input-required-result-result-type': 'fixture',
  'input-required-result-tampered-state': 'fixtureBefore',
  'json-schema-2020-12': 'fixture',
  'logging-set-level': 'capability',
  'prompts-get-embedded-resource': 'fixture',
  'prompts-get-simple': 'fixture',
  'prompts-get-with-args': 'fixture',
  'prompts-get-with-image': 'fixture',
  'resources-read-binary': 'fixture',
  'resources-read-text': 'fixture',
  'resources-subscribe': 'capability',
  'resources-templates-read': 'fixture',
  'resources-unsubscribe': 'capability',
  'server-stateless': 'fixture',
  'tools-call-audio': 'fixture',
  'tools-call-elicitation': 'fixture',
  'tools-call-embedded-resource': 'fixture',
  'tools-call-error': 'fixture',
  'tools-call-image': 'fixture',
  'tools-call-mixed-content': 'fixture',
  'tools-call-sampling': 'fixture',
  'tools-call-simple-text': 'fixture',
  'tools-call-with-logging': 'capability',
  'tools-call-with-progress': 'fixture',
};

interface Check {
  id: string;
  status: string;
  errorMessage?: string;
}

const relay = serviceForAllTests('sqlite', { RELAY_RATE_PER_KEY: '100000' });

/** The suite sends no key, so this adds one and changes nothing else. */
async function withKey(address: string, key: string): Promise<string> {
  const { hostname, port } = new URL(address);
  const server = await serve((request, response) => {
    const headers = { ...request.headers, authorization: `Bearer ${key}` };
    const { method, url } = request;
    const passed = httpRequest({ hostname, port, path: url, method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    passed.once('error', () => response.destroy());
    request.pipe(passed);
  });
  onTestFinished(server.close);
  return `${server.url}/mcp`;
}

async function run(...args: string[]): Promise<string> {
  // It fails if a check fails; the results are in the folder.
  const { stdout } = await promisify(execFile)(process.execPath, [suite, ...args]).catch(
    (error: { stdout: string }) => error,
  );
  return stdout;
}

it('the MCP endpoint passes each check of the conformance suite, or fails it for a known reason', async () => {
  const bot = await relay.addBot({ manage_enabled: true });
  await relay.say(await relay.addPerson('Ann'), bot, 'Hello');
  const body = { name: 'conformance', scope: 'manage' };
  const { key } = await relay.call<{ key: string }>('/api/auth/api-keys', body);
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const url = await withKey(relay.service().address, key);

  const listed = [...(await run('list', '--server')).matchAll(/^ +- (\S+) \[(\S+)\]/gm)];
  // Extensions that a server does not declare are not required of it.
  const scenarios = listed.filter(([, , of]) => of !== 'extension').map(([, name]) => name ?? '');
  expect(scenarios.length).toBeGreaterThan(50);
  await run('server', '--url', url, '--suite', 'all', '--output-dir', folder.path);

  const folders = readdirSync(folder.path);
  const failing: Record<string, string> = {};
  let passed = 0;
  for (const scenario of scenarios) {
    const own = folders.find((name) => name.startsWith(`server-${scenario}-20`));
    expect(own, scenario).toBeDefined();
    const text = readFileSync(path.join(folder.path, own ?? '', 'checks.json'), 'utf8');
    const checks = JSON.parse(text) as Check[];
    const failed = checks.filter(({ status }) => status === 'FAILURE');
    if (failed.length === 0) passed += 1;
    const why = expected[scenario];
    for (const { errorMessage = '', id } of failed) {
      const isKnown = why !== undefined && reasons[why].test(errorMessage);
      failing[scenario] = isKnown ? why : `${id}: ${errorMessage}`;
      if (!isKnown) break;
    }
  }
  expect(failing).toEqual(expected);
  expect(passed).toBe(scenarios.length - Object.keys(expected).length);
});
