// Scripts of the API reference only, bundled with site.js: samples and "Try it".

// The language of samples is one remembered choice for all endpoints.
const remember = (name, value) => {
  try {
    if (value === undefined) return localStorage.getItem(name);
    localStorage.setItem(name, value);
  } catch {}
  return value;
};
const choose = (language) => {
  for (const input of all(`.languages input[value="${language}"]`)) input.checked = true;
};
const language = remember('relay-docs-language');
if (/^(sh|js|python)$/.test(language ?? '')) choose(language);
document.addEventListener('change', ({ target }) => {
  if (!target.matches('.languages input')) return;
  const before = target.getBoundingClientRect().top;
  choose(target.value);
  remember('relay-docs-language', target.value);
  // Blocks above may have changed their height, so scroll back to the clicked choice.
  scrollBy(0, target.getBoundingClientRect().top - before);
});

// "Try it": forms are made from the OpenAPI document, which is loaded for the first form.
let loading;
let apiKey = '';
const loadOperations = async () => {
  const { paths } = await (await fetch('/openapi.json')).json();
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [
      operation.operationId,
      { ...operation, path, method: method.toUpperCase() },
    ]),
  );
  return new Map(operations);
};
const loadSession = async () => {
  const answer = await fetch('/api/auth/session');
  return answer.ok ? answer.json() : undefined;
};

const field = (name, control, tall) =>
  element(
    'label',
    { className: tall ? 'tall' : '' },
    element('span', { textContent: name }),
    control,
  );

const parameterControl = ({ name, required, schema, example }) => {
  const value = required && example !== undefined ? String(example) : '';
  const choices = schema.enum ?? (schema.type === 'boolean' ? ['true', 'false'] : undefined);
  const shared = { name, required, autocomplete: 'off' };
  if (!choices) {
    const placeholder = schema.default === undefined ? '' : String(schema.default);
    return element('input', { ...shared, value, placeholder });
  }
  const options = required ? choices : ['', ...choices];
  return element('select', shared, ...options.map((one) => new Option(one, one, one === value)));
};

const formOf = (operation, session) => {
  const { method, path, parameters = [], requestBody } = operation;
  const content = requestBody?.content ?? {};
  const json = content['application/json'];
  const keyInput = element('input', {
    type: 'password',
    placeholder: session ? 'uses your session' : 'brs_…',
    autocomplete: 'off',
    value: apiKey,
  });
  keyInput.addEventListener('input', () => (apiKey = keyInput.value.trim()));
  const controls = new Map(parameters.map((one) => [one, parameterControl(one)]));
  const body = json && element('textarea', { spellcheck: false });
  if (body) body.value = JSON.stringify(json.example ?? {}, null, 2);
  const send = element('button', { className: 'button', textContent: 'Send' });
  const stop = element('button', {
    type: 'button',
    className: 'button plain',
    textContent: 'Stop',
    hidden: true,
  });
  const output = element('code');
  const block = element(
    'div',
    { className: 'code', hidden: true },
    element('pre', { tabIndex: 0 }, output),
  );
  addCopyButton(block);
  const line = element('p', {});
  line.setAttribute('role', 'status');
  const who = session
    ? `Signed in as ${session.name} (${session.scope}).`
    : 'You are not signed in.';
  const note = method === 'POST' ? 'This changes real data.' : '';
  const form = element(
    'form',
    { className: 'try' },
    element('p', { textContent: `${who} ${note}` }),
    field('API key', keyInput),
    ...[...controls].map(([{ name, required }, control]) =>
      field(required ? `${name} *` : name, control),
    ),
    ...(body ? [field('Body', body, true)] : []),
    element('div', { className: 'row' }, send, stop, line),
    block,
  );

  const run = async (signal) => {
    const query = new URLSearchParams();
    const headers = {};
    for (const [parameter, { value }] of controls) {
      if (value === '') continue;
      if (parameter.in === 'query') query.set(parameter.name, value);
      else headers[parameter.name] = value;
    }
    if (apiKey !== '') headers.authorization = `Bearer ${apiKey}`;
    else if (session) headers['x-csrf-token'] = session.csrf_token;
    if (body) headers['content-type'] = 'application/json';
    const began = performance.now();
    const answer = await fetch(query.size > 0 ? `${path}?${query}` : path, {
      method,
      headers,
      signal,
      credentials: apiKey === '' ? 'same-origin' : 'omit',
      ...(body ? { body: body.value } : {}),
    });
    line.textContent = `${answer.status} ${answer.statusText} · ${Math.round(performance.now() - began)} ms`;
    block.hidden = false;
    await show(answer, output);
  };
  let running;
  stop.addEventListener('click', () => running?.abort());
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    running?.abort();
    const own = new AbortController();
    running = own;
    stop.hidden = false;
    line.textContent = 'Sending …';
    output.textContent = '';
    try {
      await run(own.signal);
    } catch (error) {
      line.textContent = own.signal.aborted ? 'Stopped.' : `No answer: ${error.message}`;
    }
    if (running === own) stop.hidden = true;
  });
  return form;
};

const mostShown = 200_000;
const show = async (answer, output) => {
  const type = answer.headers.get('content-type') ?? '';
  if (/json$|json;/.test(type) && !/ndjson/.test(type)) {
    const text = await answer.text();
    try {
      output.textContent = JSON.stringify(JSON.parse(text), null, 2).slice(0, mostShown);
    } catch {
      output.textContent = text;
    }
  } else if (/^text|ndjson/.test(type)) {
    for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
      output.append(chunk);
      if (output.textContent.length > mostShown) return answer.body.cancel?.();
    }
  } else {
    const { size } = await answer.blob();
    output.textContent = `${type}, ${size} bytes`;
  }
};

for (const article of all('article')) {
  const button = element('button', { className: 'button plain', textContent: 'Try it' });
  button.setAttribute('aria-expanded', 'false');
  const place = article.querySelector('.languages');
  place.after(element('p', {}, button));
  button.addEventListener('click', async () => {
    const open = article.querySelector('.try');
    button.setAttribute('aria-expanded', String(!open));
    if (open) {
      open.remove();
      return;
    }
    loading ??= loadOperations();
    try {
      const [operations, session] = await Promise.all([loading, loadSession()]);
      const form = formOf(operations.get(article.id), session);
      button.parentElement.after(form);
      form.querySelector('input, select, textarea').focus();
    } catch {
      loading = undefined;
      button.setAttribute('aria-expanded', 'false');
    }
  });
}
