import { expect, test } from 'vitest';
import type { ProvisionedSchedule } from '../../lib/rehearsal/services/schedules/read-schedules.ts';
import { scheduleOf } from '../../lib/rehearsal/services/schedules/schedules.ts';

function sending(source: ProvisionedSchedule['source'], input?: unknown) {
  const sent: unknown[] = [];
  const destinations = { send: async (_: string, event: unknown) => void sent.push(event) };
  const place = { stack: 'Shop', logicalId: 'Nightly', construct: 'Shop/Nightly', names: [] };
  const timed = { arn: 'arn:nightly', source, expression: 'rate(1 day)', enabled: true };
  const schedule = { ...place, ...timed, targets: [{ arn: 'arn:target', input, groupId: undefined }] };
  return { sent, schedule: scheduleOf(schedule, destinations as never) };
}

test('what is sent again of one due time is the same event, and another due time is another second', async () => {
  const { sent, schedule } = sending('aws.events');
  const again = schedule.due();
  await again();
  await again();
  await schedule.run();
  await schedule.run();
  const [first, copy, ...others] = sent;
  expect(copy).toEqual(first);
  const times = [first, ...others].map((event) => (event as { time: string }).time);
  expect(new Set(times).size).toBe(3);
  for (const time of times) expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
});

test('an input of the scheduler says the due time where it asks for it, and one of a rule is sent as it is', async () => {
  const input = {
    due: '<aws.scheduler.scheduled-time>',
    of: '<aws.scheduler.schedule-arn>',
    x: '<aws.scheduler.other>',
  };
  const { sent, schedule } = sending('aws.scheduler', input);
  const again = schedule.due();
  await again();
  await again();
  await schedule.run();
  const [first, copy, next] = sent as Readonly<Record<string, string>>[];
  expect(first).toEqual({ due: expect.stringMatching(/^\d.*\dZ$/), of: 'arn:nightly', x: '<aws.scheduler.other>' });
  expect(copy).toEqual(first);
  expect(next?.['due']).not.toBe(first?.['due']);

  const number = sending('aws.scheduler', '{"attempt": <aws.scheduler.attempt-number>}');
  await number.schedule.run();
  expect(number.sent).toEqual([{ attempt: 1 }]);
  const rule = sending('aws.events', input);
  await rule.schedule.run();
  expect(rule.sent).toEqual([input]);
});
