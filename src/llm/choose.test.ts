import { MockAgent } from 'undici';
import { expect, it } from 'vitest';
import { systemClock } from '../clock.ts';
import { chooseByModel, ModelFailure } from './choose.ts';

it('the model client takes an address that is no URL for a failure of the model, not of the relay', async () => {
  const settings = {
    apiUrl: 'http://[',
    apiKey: '',
    model: 'tiny',
    systemPrompt: '',
    temperature: 0,
    timeoutMs: 100,
  };
  const asked = chooseByModel(settings, [], 'hello', {
    dispatcher: new MockAgent(),
    clock: systemClock,
  });
  await expect(asked).rejects.toThrow(ModelFailure);
});
