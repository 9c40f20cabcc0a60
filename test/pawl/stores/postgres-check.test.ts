import { expect, it } from 'vitest';
import { findingsOf, type PostgresFacts } from '../../../lib/pawl/stores/postgres/check.ts';
import { claimsOf, outboxOf } from '../../../lib/pawl/stores/postgres/migration.ts';

const facts: PostgresFacts = {
  standby: false,
  fsync: 'on',
  synchronousCommit: 'on',
  replicas: [],
  table: 'pawl_claims',
  comment: claimsOf('pawl_claims').comment,
  granted: ['SELECT', 'INSERT', 'UPDATE'],
  outbox: 'pawl_outbox',
  outboxComment: outboxOf('pawl_outbox').comment,
  outboxGranted: [],
};

it.each<[string, Partial<PostgresFacts>]>([
  ['a server by itself', {}],
  ['with a synchronous standby, and others', { replicas: ['async', 'sync'] }],
  ['with one of a quorum', { replicas: ['quorum', null] }],
  ['a relay, which writes no message', { outboxGranted: ['SELECT', 'UPDATE', 'DELETE'] }],
])('nothing is wrong with %s', (_, some) => {
  expect(findingsOf({ ...facts, ...some }, 'pawl_claims')).toEqual([]);
});

it.each<[string, Partial<PostgresFacts>, string, RegExp]>([
  ['a standby', { standby: true }, 'problem', /Connect to the primary/],
  ['files that are not flushed', { fsync: 'off' }, 'problem', /^fsync is off/],
  ['commits that are not flushed', { synchronousCommit: 'off' }, 'problem', /^synchronous_commit is off/],
  ['asynchronous standbys only', { replicas: ['async', 'async'] }, 'warning', /every standby replicates async/],
  ['a standby that may become a synchronous one', { replicas: ['potential'] }, 'warning', /every standby/],
  [
    'a synchronous standby that no commit waits for',
    { replicas: ['sync'], synchronousCommit: 'local' },
    'warning',
    /waits for no standby/,
  ],
  ['standbys that the role may not see', { replicas: [null] }, 'unknown', /pg_monitor/],
  ['no table', { table: null, comment: null, granted: [] }, 'problem', /'pawl_claims' is not there/],
  ['a table of another version', { comment: 'pawl 0000' }, 'warning', /another checksum/],
  ['a table of nobody knows whom', { comment: null }, 'warning', /another checksum/],
  ['a role that may only read', { granted: ['SELECT'] }, 'problem', /may not INSERT, UPDATE on/],
  ['no outbox', { outbox: null, outboxComment: null }, 'warning', /'pawl_outbox' is not there/],
  ['an outbox of another version', { outboxComment: 'pawl 0000' }, 'warning', /'pawl_outbox' .* another checksum/],
  ['a role that removes nothing', { outboxGranted: ['SELECT', 'UPDATE'] }, 'problem', /may not DELETE on .*outbox/],
])('says what is wrong with %s', (_, some, level, text) => {
  expect(findingsOf({ ...facts, ...some }, 'pawl_claims')).toEqual([{ level, text: expect.stringMatching(text) }]);
});
