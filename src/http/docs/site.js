// Search, copy buttons, the table of contents and "Try it". Everything can be read without it.
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const element = (name, properties = {}, ...children) => {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  };

  // Samples run against this very service.
  const variables = document.querySelector('#samples code');
  if (variables) variables.textContent = variables.textContent.replace(/http:\S+/, location.origin);

  // Copy buttons
  const copy = async (text) => {
    if (navigator.clipboard) return navigator.clipboard.writeText(text);
    // Browsers offer the clipboard only over https and on localhost.
    const area = element('textarea', { value: text });
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  };
  const addCopyButton = (block) => {
    const button = element('button', { className: 'copy', type: 'button', textContent: 'Copy' });
    button.addEventListener('click', async () => {
      await copy(block.querySelector('code').textContent);
      button.textContent = 'Copied';
      setTimeout(() => (button.textContent = 'Copy'), 1_500);
    });
    block.append(button);
  };
  all('.code').forEach(addCopyButton);

  // Languages of samples: one choice for all endpoints, remembered.
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
    // Blocks above may have become longer or shorter.
    scrollBy(0, target.getBoundingClientRect().top - before);
  });

  // Where the reader is
  const links = new Map(
    all('.toc a, .endpoints a').map((link) => [decodeURIComponent(link.hash.slice(1)), link]),
  );
  const mark = (id) => {
    const link = links.get(id);
    if (!link) return;
    for (const one of links.values()) {
      one.classList.remove('here');
      if (one.closest('.endpoints')) one.removeAttribute('aria-current');
    }
    link.classList.add('here');
    const group = link.closest('.endpoints');
    if (!group) return;
    link.setAttribute('aria-current', 'location');
    group.open = true;
    link.scrollIntoView({ block: 'nearest' });
  };
  const seen = new IntersectionObserver(
    (entries) => {
      const entry = entries.find(({ isIntersecting }) => isIntersecting);
      if (entry) mark(entry.target.id);
    },
    { rootMargin: '-80px 0px -75% 0px' },
  );
  for (const id of links.keys()) {
    const target = document.getElementById(id);
    if (target) seen.observe(target);
  }
  const navigation = document.getElementById('navigation');
  navigation.addEventListener('click', ({ target }) => {
    if (target.closest('a') && navigation.matches(':popover-open')) navigation.hidePopover();
  });
  // The endpoints are above the guides.
  if (!navigation.querySelector('.endpoints')) {
    navigation.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }

  // Search
  const dialog = document.getElementById('search');
  const input = dialog.querySelector('input');
  const hits = document.getElementById('hits');
  const status = dialog.querySelector('p');
  const opener = document.getElementById('open-search');
  opener.hidden = false;
  let chosen = -1;
  let asked = 0;
  const openSearch = () => {
    dialog.showModal();
    input.select();
  };
  const pick = (index) => {
    const options = all('li', hits);
    chosen = options.length === 0 ? -1 : (index + options.length) % options.length;
    options.forEach((option, at) => option.setAttribute('aria-selected', String(at === chosen)));
    options[chosen]?.scrollIntoView({ block: 'nearest' });
    if (chosen < 0) input.removeAttribute('aria-activedescendant');
    else input.setAttribute('aria-activedescendant', options[chosen].id);
  };
  const go = (url) => {
    dialog.close();
    location.assign(url);
  };
  const hit = ({ url, page, heading, snippet }, index) => {
    const option = element(
      'li',
      { id: `hit-${index}`, role: 'option' },
      element('b', { textContent: heading }),
      ...(page === heading ? [] : [element('small', { textContent: page })]),
      element('div', { textContent: snippet }),
    );
    option.dataset.url = url;
    option.addEventListener('click', () => go(url));
    option.addEventListener('pointermove', () => pick(index));
    return option;
  };
  const search = async () => {
    const query = input.value.trim();
    const turn = ++asked;
    let found = [];
    let problem = '';
    if (query !== '') {
      try {
        const answer = await fetch(`/docs/search.json?q=${encodeURIComponent(query)}`);
        if (!answer.ok) throw new Error(String(answer.status));
        found = await answer.json();
        problem = found.length === 0 ? `Nothing found for “${query}”.` : '';
      } catch {
        problem = 'Search is not available right now. Try again.';
      }
    }
    // A later question may have been answered first.
    if (turn !== asked) return;
    hits.replaceChildren(...found.map(hit));
    input.setAttribute('aria-expanded', String(found.length > 0));
    status.textContent = problem;
    pick(0);
  };
  opener.addEventListener('click', openSearch);
  input.addEventListener('input', () => void search());
  input.addEventListener('keydown', (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) pick(chosen + step);
    else if (event.key === 'Enter') {
      const url = all('li', hits)[chosen]?.dataset.url;
      if (url) go(url);
    } else if (event.key === 'Escape') dialog.close();
    else return;
    event.preventDefault();
  });
  dialog.addEventListener('click', ({ target }) => {
    if (target === dialog) dialog.close();
  });
  document.addEventListener('keydown', (event) => {
    const typing = event.target.closest('input, textarea, select');
    const slash = event.key === '/' && !typing;
    const k = event.key === 'k' && (event.ctrlKey || event.metaKey);
    if (!slash && !k) return;
    event.preventDefault();
    openSearch();
  });

  // Try it. The forms are made of the OpenAPI document, which is loaded for the first of them.
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
})();
