import { expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { memoryStore, once } from '../../../lib/pawl/index.ts';
import { sqsOnce } from '../../../lib/pawl/middy/index.ts';
import {
  bodyField,
  compositeKey,
  eachMessage,
  type Message,
  type MessageKey,
  messageAttribute,
} from '../../../lib/pawl/sqs/index.ts';

const schema = z.object({
  orderId: z.string(),
  customer: z.object({ id: z.number(), tags: z.array(z.string()) }),
  note: z.string().optional(),
});
const options = { operation: 'o', store: memoryStore(), onAbandoned: 'retry' } as const;
const done = () => undefined;

test('a path that the schema has is accepted, at every door', () => {
  eachMessage({ ...options, schema, key: bodyField('orderId') }, ({ body }) => {
    expectTypeOf(body.orderId).toEqualTypeOf<string>();
  });
  eachMessage({ ...options, schema, key: bodyField('customer.id') }, done);
  eachMessage({ ...options, schema, key: bodyField('customer.tags.0') }, done);
  eachMessage({ ...options, schema, key: bodyField('note') }, done);
  const fromConfiguration: string = 'orderId';
  eachMessage({ ...options, schema, key: bodyField(fromConfiguration) }, done);
  eachMessage({ ...options, schema, key: compositeKey(bodyField('orderId'), bodyField('customer.id')) }, ({ body }) => {
    expectTypeOf(body.customer.id).toEqualTypeOf<number>();
  });
  expect(sqsOnce({ ...options, schema, key: bodyField('orderId') })).toHaveProperty('before');
});

test('a path that the schema does not have is refused, at every door', () => {
  // @ts-expect-error the body has no field 'orderID'
  eachMessage({ ...options, schema, key: bodyField('orderID') }, done);
  // @ts-expect-error the body has no field 'customer.ID'
  eachMessage({ ...options, schema, key: bodyField('customer.ID') }, done);
  // @ts-expect-error a text has no fields
  eachMessage({ ...options, schema, key: bodyField('orderId.id') }, done);
  // @ts-expect-error the body has no field 'month'
  eachMessage({ ...options, schema, key: compositeKey(bodyField('orderId'), bodyField('month')) }, done);
  // @ts-expect-error the body has no field 'orderID'
  expect(sqsOnce({ ...options, schema, key: bodyField('orderID') })).toHaveProperty('before');
  // @ts-expect-error the type has no field 'orderID'
  eachMessage<{ orderId: string }>({ ...options, key: bodyField('orderID') }, done);
});

test('without a schema every path is accepted, and beside functions of the author too', () => {
  eachMessage({ ...options, key: bodyField('orderID') }, ({ body }) => {
    expectTypeOf(body).toEqualTypeOf<unknown>();
  });
  const mixed: MessageKey<unknown> = compositeKey(bodyField('a'), bodyField('b'), messageAttribute('c'));
  eachMessage({ ...options, key: mixed }, done);
  eachMessage({ ...options, schema, key: compositeKey(bodyField('orderId'), messageAttribute('c')) }, done);
  eachMessage(
    {
      ...options,
      schema,
      key: compositeKey(
        ({ body }: Message<{ orderId: string }>) => body.orderId,
        () => 'x',
      ),
    },
    done,
  );
  const typed = once(
    { ...options, key: bodyField('orderId') },
    (input: { readonly body: { orderId: string } }) => input.body.orderId,
  );
  expect(typed).toBeTypeOf('function');
});
