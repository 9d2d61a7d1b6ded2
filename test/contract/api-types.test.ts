import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { apiTypes, apiTypesFile } from '../../scripts/write-api-types.ts';
import { serviceForAllTests } from '../support/whole-service.ts';

const whole = serviceForAllTests('sqlite');

it('the types of the API are those of the endpoints: `npm run docs` writes them', async () => {
  const written = readFileSync(apiTypesFile, 'utf8');
  expect(written).toBe(await apiTypes(whole.service().address));
  expect(written.replaceAll(/\s+/g, ' ')).toContain(
    " '/api/bots/delete': { query: { id: number; }; response: Bot; };",
  );
});
