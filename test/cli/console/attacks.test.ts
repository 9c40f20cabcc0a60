import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RehearsalView, ReportView } from '../../../lib/cli/console/api.ts';
import { PortInUseError, type RunningConsole, startConsole } from '../../../lib/cli/console/server.ts';
import { memoryStore } from '../../../lib/pawl/index.ts';
import { operator } from '../../../lib/pawl/operate/index.ts';
import { openPage, send } from '../../support/console-client.ts';
import { record } from '../../support/records.ts';

/** Each attack goes to the real server, with a claim that it would resolve. */

const store = memoryStore();
const id = 'send-email#order-17';
let served: RunningConsole;
beforeEach(async () => {
  const seen = await store.read(id);
  await store.write({ next: record({ id, status: 'parked', open: '03', expiresAt: undefined }), seen });
  served = await serve({ write: true });
});
afterEach(() => served.stop());

/** What the page shows of a rehearsal, as far as an attack can see it. */
const view: RehearsalView = {
  ...{
    run: 1,
    title: 'shop',
    seed: 7,
    state: 'ended',
    doing: 'ended',
    at: 2,
    startedAt: 1,
    trafficAt: 1,
    messages: 1,
    left: 0,
  },
  ...{ killed: 1, effects: [], marks: [], marksInAll: 0 },
};
const report: ReportView = {
  run: 1,
  good: true,
  noVerdict: undefined,
  seconds: 1,
  effects: [],
  empty: [],
  untested: [],
  notJudged: [],
  harmed: [],
  findings: [],
  hints: [],
};

function serve({ write }: { readonly write: boolean }): Promise<RunningConsole> {
  const operate = operator({ store, onEvent: () => undefined });
  const rehearsal = { view: () => view, report: () => report };
  return startConsole({
    rehearsal,
    desks: new Map([['claims', { operate }]]),
    title: 'claims',
    write,
    user: 'maria',
    queues: [],
  });
}

const planned = { kind: 'resolve', verdict: 'applied', claims: [{ id, fence: 1 }] };
const json = { 'content-type': 'application/json' };
const own = () => ({ origin: `http://127.0.0.1:${served.port}` });

it('serves its own page: a plan, then the deed', async () => {
  const { post } = await openPage(served);
  const { planId } = JSON.parse((await post('/api/plan', planned)).text);
  expect(await store.read(id)).toMatchObject({ status: 'parked' });
  const { status, text } = await post('/api/act', { planId, by: 'maria', note: 'it is in the outbox' });
  expect([
    status,
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ]).toMatchObject([200, [{ kind: 'result', result: { id, outcome: 'resolved' } }, { kind: 'end' }]]);
  expect(await store.read(id)).toMatchObject({ status: 'completed', resolution: { by: 'maria' } });
});

describe('without the session', () => {
  it.each([
    '/',
    '/?token=',
    '/?token=guessed',
    '/main.js',
    '/api/state',
    '/api/claims',
    '/api/live',
    '/api/rehearsal',
    '/api/rehearsal/report',
    '/x',
  ])('GET %s is refused', async (path) => {
    const { status, headers } = await send(served.port, 'GET', path);
    expect([status, headers['set-cookie']]).toEqual([401, undefined]);
  });

  it('nothing is planned', async () => {
    const headers = { ...own(), ...json };
    expect(await send(served.port, 'POST', '/api/plan', { headers, body: JSON.stringify(planned) })).toMatchObject({
      status: 401,
    });
  });

  it('the token opens one browser, once', async () => {
    const first = await openPage(served);
    expect(first.opened.status).toBe(200);
    const { status, text, headers } = (await openPage(served)).opened;
    expect([status, headers['set-cookie']]).toEqual([401, undefined]);
    expect(text).toContain('was used already');
    expect(text).not.toContain('pawl-session');
    // The first one goes on, and may load its page again: the key of the session is not shown twice.
    const again = await send(served.port, 'GET', '/', { headers: { cookie: first.session.cookie } });
    expect([again.status, again.text.includes('pawl-session')]).toEqual([200, false]);
  });

  it('the cookie alone is refused: a browser sends it to other servers of this machine', async () => {
    const { session } = await openPage(served);
    const headers = { ...own(), ...json, cookie: session.cookie };
    expect(await send(served.port, 'GET', '/api/claims', { headers })).toMatchObject({ status: 401 });
    expect(await send(served.port, 'POST', '/api/plan', { headers, body: JSON.stringify(planned) })).toMatchObject({
      status: 401,
    });
  });

  it('the key alone is refused', async () => {
    const { session } = await openPage(served);
    const headers = { 'x-pawl-session': session['x-pawl-session'] };
    expect(await send(served.port, 'GET', '/api/claims', { headers })).toMatchObject({ status: 401 });
  });

  it('the session of another console is refused', async () => {
    const other = await serve({ write: true });
    try {
      const { session } = await openPage(other);
      expect(await send(served.port, 'GET', '/api/claims', { headers: session })).toMatchObject({ status: 401 });
    } finally {
      await other.stop();
    }
  });

  it('the cookie is for no script, and for no other site', async () => {
    const { opened } = await openPage(served);
    expect(opened.headers['set-cookie']?.[0]).toMatch(/; Path=\/; HttpOnly; SameSite=Strict$/);
  });
});

describe('with the session', () => {
  it.each(['evil.example', 'evil.example:80', 'localhost', '127.0.0.1', '127.0.0.1:1', '[::1]:80'])(
    'the host %j is refused: DNS led it here',
    async (host) => {
      const { session } = await openPage(served);
      expect(await send(served.port, 'GET', '/api/claims', { headers: { ...session, host } })).toMatchObject({
        status: 421,
      });
      expect(await send(served.port, 'GET', '/', { headers: { ...session, host } })).toMatchObject({ status: 421 });
    },
  );

  it.each(['http://evil.example', 'null', 'http://127.0.0.1:1', 'https://127.0.0.1', 'http://localhost'])(
    'the origin %s is refused',
    async (origin) => {
      const { session } = await openPage(served);
      const headers = { ...session, ...json, origin };
      expect(await send(served.port, 'GET', '/api/claims', { headers })).toMatchObject({ status: 403 });
      expect(await send(served.port, 'POST', '/api/plan', { headers, body: JSON.stringify(planned) })).toMatchObject({
        status: 403,
      });
    },
  );

  it('a POST without an origin is refused', async () => {
    const { session } = await openPage(served);
    const headers = { ...session, ...json };
    expect(await send(served.port, 'POST', '/api/plan', { headers, body: JSON.stringify(planned) })).toMatchObject({
      status: 403,
    });
  });

  it.each(['cross-site', 'same-site'])('a GET that a browser calls %s is refused', async (site) => {
    const { session } = await openPage(served);
    const headers = { ...session, 'sec-fetch-site': site };
    expect(await send(served.port, 'GET', '/api/claims', { headers })).toMatchObject({ status: 403 });
    expect(await send(served.port, 'GET', '/main.js', { headers })).toMatchObject({ status: 403 });
  });

  it.each(['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data; boundary=x', ''])(
    'a form is refused: %j',
    async (type) => {
      const { session } = await openPage(served);
      const headers = { ...session, ...own(), 'content-type': type };
      expect(await send(served.port, 'POST', '/api/plan', { headers, body: JSON.stringify(planned) })).toMatchObject({
        status: 415,
      });
    },
  );

  it('no GET, PUT or DELETE writes', async () => {
    const { session, get } = await openPage(served);
    const query = new URLSearchParams({ ...planned, claims: id });
    for (const path of ['/api/plan', '/api/act', '/api/resolve-steps', '/api/dead-letters']) {
      expect(await get(`${path}?${query}`)).toMatchObject({ status: 404 });
      for (const method of ['PUT', 'DELETE', 'OPTIONS', 'PATCH']) {
        const headers = { ...session, ...own(), ...json };
        expect(await send(served.port, method, path, { headers })).toMatchObject({ status: 405 });
      }
    }
    expect(await store.read(id)).toMatchObject({ status: 'parked' });
  });

  it.each([
    '/../package.json',
    '/%2e%2e/package.json',
    '/..%2fpackage.json',
    '/main.js/../server.js',
    '/page/main.css',
  ])('the path %s leads to no file', async (path) => {
    const { get } = await openPage(served);
    expect(await get(path)).toMatchObject({ status: 404 });
  });

  it.each(['//evil.example/api/state', '/\\evil.example', 'http://evil.example/api/state', '*'])(
    'the path %j is no page of another host',
    async (path) => {
      const { get } = await openPage(served);
      expect((await get(path)).status).toBeGreaterThanOrEqual(400);
    },
  );

  it('a body of over a megabyte is refused', async () => {
    const { post } = await openPage(served);
    expect(await post('/api/plan', { ...planned, claims: [{ id: 'x'.repeat(1_000_000), fence: 1 }] })).toMatchObject({
      status: 413,
    });
  });

  it.each(['{', '[]', 'null', '"x"', '{"kind":"drop"}', '{"kind":"resolve","verdict":"applied","claims":[1]}'])(
    'the body %s is refused',
    async (body) => {
      const { session } = await openPage(served);
      const headers = { ...session, ...own(), ...json };
      expect(await send(served.port, 'POST', '/api/plan', { headers, body })).toMatchObject({ status: 400 });
    },
  );

  it('a plan is carried out once, and only one that was shown', async () => {
    const { post } = await openPage(served);
    const acted = { by: 'maria', note: 'n' };
    expect(await post('/api/act', { planId: 'forged', ...acted })).toMatchObject({ status: 400 });
    const { planId } = JSON.parse((await post('/api/plan', planned)).text);
    expect(await post('/api/act', { planId, by: '', note: 'n' })).toMatchObject({ status: 400 });
    expect(await post('/api/act', { planId, ...acted })).toMatchObject({ status: 200 });
    expect(await post('/api/act', { planId, ...acted })).toMatchObject({ status: 400 });
  });

  it('no queue but those of the console is looked at or redriven', async () => {
    const { post } = await openPage(served);
    const queueUrl = 'https://sqs.eu-west-1.amazonaws.com/123456789012/other';
    for (const path of ['/api/dead-letters', '/api/dead-letters/last', '/api/dead-letters/body']) {
      expect(await post(path, { queueUrl, messageId: 'm' })).toMatchObject({ status: 400 });
    }
    expect(await post('/api/plan', { kind: 'redrive', queueUrl, messageIds: [] })).toMatchObject({ status: 400 });
  });
});

it('writes nothing without --write', async () => {
  const readOnly = await serve({ write: false });
  try {
    const { get, post } = await openPage(readOnly);
    for (const path of ['/api/plan', '/api/act', '/api/resolve-steps']) {
      expect(await post(path, planned)).toMatchObject({ status: 403, text: expect.stringContaining('--write') });
    }
    expect(JSON.parse((await get('/api/claims')).text)).toMatchObject({ total: 1, claims: [{ id, state: 'parked' }] });
  } finally {
    await readOnly.stop();
  }
});

it('only reads of a rehearsal, also with --write', async () => {
  const { session, get, post } = await openPage(served);
  for (const path of ['/api/rehearsal', '/api/rehearsal/report']) {
    expect(await get(path)).toMatchObject({ status: 200 });
    expect(await post(path, {})).toMatchObject({ status: 404 });
    for (const method of ['PUT', 'DELETE', 'PATCH']) {
      const headers = { ...session, ...own(), ...json };
      expect(await send(served.port, method, path, { headers })).toMatchObject({ status: 405 });
    }
  }
  expect(JSON.parse((await get('/api/rehearsal')).text)).toEqual({ rehearsal: view });
  expect(JSON.parse((await get('/api/rehearsal/report')).text)).toEqual({ report });
});

it('keeps to the tables that it is over: no parameter reaches another one, and none that was there before', async () => {
  const { get } = await openPage(served);
  expect(await get('/api/claims?table=claims')).toMatchObject({ status: 200 });
  for (const table of ['orders', '__proto__', 'claims%00', '']) {
    expect(await get(`/api/claims?table=${table}`)).toMatchObject({ status: 404 });
  }
  served.show({ queues: [], desks: new Map() });
  expect(await get('/api/claims?table=claims')).toMatchObject({ status: 404 });
  expect(JSON.parse((await get('/api/state')).text)).toMatchObject({ tables: [], version: 1 });
});

it('says that its port is in use, and leaves it to its owner', async () => {
  const { port } = served;
  const second = startConsole({ desks: new Map(), title: 'claims', write: true, user: 'maria', queues: [], port });
  await expect(second).rejects.toThrow(PortInUseError);
  await expect(second).rejects.toThrow(`Port ${port} of 127.0.0.1 is in use. Name another one with --port`);
  expect(await send(port, 'GET', '/')).toMatchObject({ status: 401 });
});

it('listens on this machine alone', async () => {
  const { networkInterfaces } = await import('node:os');
  const outer = Object.values(networkInterfaces())
    .flatMap((all = []) => all)
    .find(({ internal, family }) => !internal && family === 'IPv4')?.address;
  if (outer === undefined) return;
  await expect(fetch(`http://${outer}:${served.port}/`)).rejects.toThrow('fetch failed');
});

it.each(['/', '/main.js', '/api/state', '/x'])('every response has its headers: %s', async (path) => {
  const { get, session } = await openPage(served);
  for (const { headers } of [await get(path), await send(served.port, 'GET', path, { headers: { host: 'x' } })]) {
    expect(headers).toMatchObject({
      'content-security-policy': expect.stringMatching(/^default-src 'none'; script-src 'self';/),
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      'x-frame-options': 'DENY',
    });
    expect(headers['access-control-allow-origin']).toBeUndefined();
    expect(headers['content-security-policy']).not.toContain('unsafe');
  }
  expect(session.cookie).not.toBe('');
});
