import { describe } from 'vitest';
import { askEveryEndpointBadly } from './every-endpoint.ts';

describe('every endpoint, asked badly and often', () =>
  askEveryEndpointBadly(100, { largeBodies: true }));
