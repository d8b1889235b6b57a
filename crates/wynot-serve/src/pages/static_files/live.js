// Lets pages follow what happens. Without it, they are loaded again from time to time.

const progress = document.getElementById('progress');
if (progress) follow(progress);

const jobs = document.querySelector('#jobs[data-refresh]');
if (jobs) refreshJobs(jobs);

const form = document.getElementById('submit');
if (form) prepareForm(form);

for (const button of document.querySelectorAll('[data-copy]')) prepareCopy(button);
document.getElementById('error')?.focus();

/** A count and its noun: 1 byte, 2,000 bytes. */
function count(number, noun) {
  return `${grouped(number)} ${noun}${number === 1 ? '' : 's'}`;
}

function grouped(number) {
  return number.toLocaleString('en-US');
}

/** Text in which what cannot be seen is written as an escape, as the server does it. */
function visible(text) {
  return String(text).replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (c) =>
    (c === '\u200d' || c === '\u200c' ? c : `\\u{${c.codePointAt(0).toString(16)}}`));
}

/** Follows the events of a job from the one on that the page contains. */
function follow(section) {
  const data = section.dataset;
  const state = {
    tests: Number(data.tests), fail: Number(data.fail), pass: Number(data.pass),
    unresolved: Number(data.unresolved),
    before: data.before === undefined ? null : Number(data.before),
    bytes: data.bytes === undefined ? null : Number(data.bytes),
    curve: JSON.parse(data.curve || '[]'), part: '', remark: '',
  };
  const source = new EventSource(`${data.events}?from=${encodeURIComponent(data.from)}`);
  let isDue = false;
  source.addEventListener('search', (event) => {
    add(state, JSON.parse(event.data), section);
    if (isDue) return;
    isDue = true;
    setTimeout(() => {
      isDue = false;
      draw(section, state);
      if (lastSummary === 0) say();
    }, 100);
  });
  source.addEventListener('state', (event) => {
    const now = JSON.parse(event.data);
    if (now.state !== 'queued' && now.state !== 'running') {
      source.close();
      location.reload();
      return;
    }
    if (now.state === 'running') set(section, 'state', 'Running');
    const mark = document.querySelector('[data-live="mark"] .state');
    mark.textContent = now.state;
    mark.className = `state ${now.state}`;
  });
  source.addEventListener('error', () => {
    // The browser tries again by itself, unless the server has refused.
    if (source.readyState === EventSource.CLOSED) setTimeout(() => location.reload(), 5000);
  });
  let lastSummary = 0;
  const say = () => {
    if (state.tests === lastSummary) return;
    lastSummary = state.tests;
    set(section, 'summary', summary(state));
  };
  // Screen readers say it, so not with each event.
  setInterval(say, 3000);
}

/** Adds an event of the search. */
function add(state, event, section) {
  if (typeof event.tests === 'number') state.tests = Math.max(state.tests, event.tests);
  if (typeof event.part === 'string') state.part = event.part;
  switch (event.event) {
    case 'tested':
      if (event.cached !== true) {
        state[['fail', 'pass'].includes(event.outcome) ? event.outcome : 'unresolved'] += 1;
      }
      break;
    case 'step':
      if (event.side !== 'passing' && typeof event.bytes === 'number') {
        state.bytes = event.bytes;
        state.curve.push([state.tests, event.bytes]);
        if (state.curve.length > 400) state.curve = state.curve.filter((_, index) => index % 2 === 0);
      }
      break;
    case 'level':
      log(section, `${event.unit}: ${count(event.deltas, 'part')}`);
      break;
    case 'remark':
    case 'place':
      state.remark = event.text ?? event.place ?? '';
      log(section, state.remark);
      break;
  }
}

function summary(state) {
  const tests = count(state.tests, 'test');
  if (state.remark) return `${tests}. ${visible(state.remark)}`;
  if (state.bytes !== null) return `${tests}; the smallest that fails has ${count(state.bytes, 'byte')}.`;
  return `${tests}.`;
}

function set(section, name, text) {
  const element = section.querySelector(`[data-live="${name}"]`);
  if (element && element.textContent !== text) element.textContent = text;
}

function log(section, text) {
  const list = section.querySelector('[data-live="log"]');
  const isAtEnd = list.scrollTop + list.clientHeight >= list.scrollHeight - 4;
  const item = document.createElement('li');
  item.textContent = visible(text);
  list.append(item);
  while (list.children.length > 200) list.firstElementChild.remove();
  if (isAtEnd) list.scrollTop = list.scrollHeight;
}

function draw(section, state) {
  for (const name of ['tests', 'fail', 'pass', 'unresolved']) set(section, name, grouped(state[name]));
  if (state.part) set(section, 'part', visible(state.part));
  const before = state.before === null ? '' : `${grouped(state.before)} → `;
  if (state.bytes !== null) set(section, 'best', before + count(state.bytes, 'byte'));
  const figure = section.querySelector('[data-live="figure"]');
  if (figure) drawCurve(section, figure, state);
}

/** Draws the curve as the server does: the same numbers are in progress_view.rs. */
function drawCurve(section, figure, state) {
  const points = [...state.curve];
  if (state.before !== null) points.unshift([0, state.before]);
  if (state.curve.length) points.push([state.tests, state.curve.at(-1)[1]]);
  figure.hidden = points.length < 2;
  if (figure.hidden) return;
  const sizes = points.map(([, bytes]) => bytes);
  const most = Math.max(...sizes, 1);
  const least = Math.min(...sizes.filter((bytes) => bytes > 0), most);
  const share = (bytes) => (least * 50 < most ? Math.log1p(bytes) / Math.log1p(most) : bytes / most);
  const path = points.map(([tests, bytes], index) => {
    const x = (8 + 464 * tests / Math.max(state.tests, 1)).toFixed(1);
    const y = (172 - 144 * share(bytes)).toFixed(1);
    return index ? `H${x}V${y}` : `M${x} ${y}`;
  });
  section.querySelector('[data-live="path"]').setAttribute('d', path.join(''));
  const [first, last] = [sizes[0], sizes.at(-1)].map((bytes) => count(bytes, 'byte'));
  const tests = count(state.tests, 'test');
  set(section, 'first', first);
  set(section, 'last', last);
  set(section, 'test-axis', tests);
  set(section, 'description', `From ${first} to ${last} after ${tests}`);
}

/** Loads the list of jobs again while something runs. */
function refreshJobs(list) {
  const timer = setInterval(async () => {
    if (document.hidden || list.contains(document.activeElement)) return;
    const response = await fetch(location.href).catch(() => null);
    if (!response?.ok || response.redirected) return;
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    const next = page.getElementById('jobs');
    if (!next) return;
    list.replaceChildren(...next.childNodes);
    if (!next.dataset.refresh) clearInterval(timer);
  }, Number(list.dataset.refresh) * 1000);
}

/** Lets files be dropped, and chooses the files of an example. */
function prepareForm(form) {
  for (const hint of form.querySelectorAll('.drop-hint')) hint.hidden = false;
  for (const area of form.querySelectorAll('[data-drop]')) {
    const inputs = area.dataset.drop.split(' ').map((name) => form.querySelector(`[type=file][name=${name}]`));
    area.addEventListener('dragover', (event) => {
      event.preventDefault();
      area.classList.add('over');
    });
    area.addEventListener('dragleave', () => area.classList.remove('over'));
    area.addEventListener('drop', (event) => {
      event.preventDefault();
      area.classList.remove('over');
      const own = inputs.find((input) => input === event.target);
      choose(own ?? inputs.find((input) => !input.files.length) ?? inputs[0], [...event.dataTransfer.files]);
    });
  }
  for (const link of form.querySelectorAll('a[data-role]:not([data-role=""])')) chooseExample(form, link);
}

function choose(input, files) {
  const transfer = new DataTransfer();
  for (const file of input.multiple ? [...input.files, ...files] : files.slice(0, 1)) transfer.items.add(file);
  input.files = transfer.files;
  input.dispatchEvent(new Event('change', { bubbles: true }));
}

async function chooseExample(form, link) {
  const response = await fetch(link.href);
  if (!response.ok) return;
  choose(form.querySelector(`[type=file][name=${link.dataset.role}]`), [new File([await response.blob()], link.textContent)]);
  const note = form.querySelector('.example-files p');
  note.textContent = 'The files of this example are chosen already:';
}

function prepareCopy(button) {
  if (!navigator.clipboard) return;
  button.hidden = false;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    button.textContent = 'Copied';
    setTimeout(() => { button.textContent = 'Copy'; }, 2000);
  });
}
