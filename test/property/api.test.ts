import { describe } from 'vitest';
import { askEveryEndpointBadly } from './every-endpoint.ts';

describe('every endpoint, asked badly', () => askEveryEndpointBadly(8, { largeBodies: false }));
