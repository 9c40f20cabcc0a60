import { expect, test } from 'vitest';
import { changesOf } from '../../lib/rehearsal/services/s3/bucket-events.ts';

const changes = (method: string, url: string, body = '', headers: Readonly<Record<string, unknown>> = {}) =>
  changesOf({ method, url, headers }, Buffer.from(body)).map(({ key, event }) => `${event} ${key}`);

test.each([
  ['an object', 'PUT', '/b/in/a%20b', {}, ['ObjectCreated:Put in/a b']],
  ['a copy', 'PUT', '/b/a', { 'x-amz-copy-source': 'b/c' }, ['ObjectCreated:Copy a']],
  ['a part of an object, which is not there yet', 'PUT', '/b/a?partNumber=1&uploadId=u', {}, []],
  ['the end of its parts', 'POST', '/b/a?uploadId=u', {}, ['ObjectCreated:CompleteMultipartUpload a']],
  ['an object that is deleted', 'DELETE', '/b/a', {}, ['ObjectRemoved:Delete a']],
  ['parts that are given up', 'DELETE', '/b/a?uploadId=u', {}, []],
  ['a bucket', 'PUT', '/b', {}, []],
  ['an object that is read', 'GET', '/b/a', {}, []],
])('S3 tells of %s', (_, method, url, headers, told) => {
  expect(changes(method, url, '', headers)).toEqual(told);
});

test('S3 tells of each object that one request deletes', () => {
  const keys = [
    '<Key>in/a b</Key>',
    '<Key>a&amp;b&#x27;c&#39;d&lt;</Key>',
    '<Key>a&amp;lt;</Key><VersionId>1</VersionId>',
  ];
  const body = `<Delete>${keys.map((key) => `<Object>${key}</Object>`).join('')}</Delete>`;
  const removed = ['in/a b', "a&b'c'd<", 'a&lt;'].map((key) => `ObjectRemoved:Delete ${key}`);
  expect(changes('POST', '/b?delete', body)).toEqual(removed);
  expect(changes('POST', '/b/?delete=', body)).toEqual(removed);
});
